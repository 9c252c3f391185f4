//! The server's end of a pipe, played by a test, and what a test asks of the client's end.

use diglot::Limits;
use diglot::error::TransportError;
use diglot::jsonrpc::{Id, Message};
use diglot::transport::{Connection, Exchange, Inbound, Outbound, Transport, memory_pair};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// The server's end of a pipe, played by a test.
pub(crate) struct Server(pub(crate) BufReader<DuplexStream>);

impl Server {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// Reads the next message of the client; null at the end of the stream.
    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        match self.0.read_line(&mut line).await.unwrap() {
            0 => Value::Null,
            _ => serde_json::from_str(&line).unwrap(),
        }
    }

    /// Reads the next request and returns its id.
    pub(crate) async fn id(&mut self) -> Value {
        self.hear().await["id"].clone()
    }

    pub(crate) async fn say(&mut self, line: &str) {
        self.0.write_all(line.as_bytes()).await.unwrap();
        self.0.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn answer(&mut self, id: impl std::fmt::Display, result: impl std::fmt::Display) {
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
    }
}

pub(crate) fn request(id: i64) -> Outbound {
    let mut request = Outbound::request(Id::Number(id), "tools/call", None);
    request.cancels_by_notification = true;
    request
}

pub(crate) fn probe(id: i64) -> Outbound {
    Outbound::request(Id::Number(id), "server/discover", None).opening()
}

/// Waits for the answer and returns its result as JSON, or its error's message.
pub(crate) async fn answer_of(exchange: &mut Exchange) -> String {
    match exchange.next().await {
        Some(Ok(Inbound::Message(Message::Response(response)))) => match response.outcome {
            Ok(result) => result.get().to_owned(),
            Err(error) => error.message,
        },
        other => panic!("instead of an answer: {other:?}"),
    }
}

pub(crate) async fn failure_of(exchange: &mut Exchange) -> TransportError {
    match exchange.next().await {
        Some(Err(error)) => error,
        other => panic!("instead of a failure: {other:?}"),
    }
}

pub(crate) async fn open_with(limits: Limits) -> (Box<dyn Connection>, Server) {
    let (transport, stream) = memory_pair();
    (transport.open(&limits).await.unwrap(), Server::new(stream))
}

pub(crate) async fn open() -> (Box<dyn Connection>, Server) {
    open_with(Limits::default()).await
}

pub(crate) fn method_of(inbound: Inbound) -> String {
    match inbound {
        Inbound::Message(Message::Notification(notification)) => notification.method.into_owned(),
        Inbound::Message(Message::Request(request)) => request.method.into_owned(),
        other => panic!("instead of a call: {other:?}"),
    }
}

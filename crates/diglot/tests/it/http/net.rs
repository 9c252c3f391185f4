//! The clients that every behaviour is run over, and what tests of them share.

use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use diglot::Limits;
use diglot::Revision;
use diglot::error::TransportError;
use diglot::http::{Body, BoxError, HttpClient, HttpSse, StreamableHttp};
use diglot::jsonrpc::{Id, Message, ReplyId};
use diglot::transport::{Connection, Exchange, Inbound, Outbound, Transport};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

#[cfg(unix)]
use super::server::serve_unix;
use super::server::{Record, Reply, Request, serve_tcp};

/// Which client a behaviour is run over.
pub(super) struct Net {
    kind: Kind,
    folder: tempfile::TempDir,
    served: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Stock,
    Custom,
    Unix,
}

/// A server that plays a script, and a way to reach it.
pub(super) struct Site {
    pub(super) record: Record,
    kind: Kind,
    port: u16,
    socket: PathBuf,
}

/// Runs a behaviour, but not for ever.
pub(super) async fn run<F: Future<Output = ()>>(net: Net, behaviour: impl FnOnce(Net) -> F) {
    let longest = Duration::from_secs(30);
    tokio::time::timeout(longest, behaviour(net)).await.expect("the behaviour comes to its end");
}

impl Net {
    pub(super) fn stock() -> Self {
        Self::of(Kind::Stock)
    }

    pub(super) fn custom() -> Self {
        Self::of(Kind::Custom)
    }

    pub(super) fn unix() -> Self {
        Self::of(Kind::Unix)
    }

    fn of(kind: Kind) -> Self {
        Self { kind, folder: tempfile::tempdir().unwrap(), served: AtomicUsize::new(0) }
    }

    /// Starts a server.
    pub(super) async fn serve(&self, script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Site {
        let number = self.served.fetch_add(1, Ordering::Relaxed);
        let socket = self.folder.path().join(format!("{number}.sock"));
        let (port, record) = match self.kind {
            Kind::Unix => (0, serve_unix(&socket, script)),
            Kind::Stock | Kind::Custom => serve_tcp(script).await,
        };
        Site { record, kind: self.kind, port, socket }
    }

    /// Starts a server that gives the same reply to everything.
    pub(super) async fn reply(&self, reply: Reply) -> Site {
        self.serve(move |_| reply.clone()).await
    }
}

impl Site {
    /// Returns the authority of the server's address.
    pub(super) fn host(&self) -> String {
        match self.kind {
            Kind::Unix => "localhost".to_owned(),
            Kind::Stock | Kind::Custom => format!("127.0.0.1:{}", self.port),
        }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host())
    }

    /// Makes the transport to a path of the server.
    pub(super) fn transport(&self, path: &str) -> StreamableHttp {
        match self.kind {
            Kind::Stock => StreamableHttp::new(&self.url(path)).unwrap(),
            Kind::Custom => StreamableHttp::over(&self.url(path), Custom::new()).unwrap(),
            Kind::Unix => StreamableHttp::unix(&self.socket, path).unwrap(),
        }
    }

    /// Makes the deprecated transport to a path of the server.
    pub(super) fn http_sse(&self, path: &str) -> HttpSse {
        match self.kind {
            Kind::Stock => HttpSse::new(&self.url(path)).unwrap(),
            Kind::Custom => HttpSse::over(&self.url(path), Custom::new()).unwrap(),
            Kind::Unix => {
                HttpSse::over(&self.url(path), diglot::http::UnixSocket::new(&self.socket)).unwrap()
            }
        }
    }

    /// Opens a connection to `/mcp`.
    pub(super) async fn connect(&self) -> Box<dyn Connection> {
        self.transport("/mcp").open(&Limits::default()).await.unwrap()
    }

    /// Sends a request to `/mcp` and collects all that comes.
    pub(super) async fn ask(&self, outbound: Outbound) -> Result<Vec<Inbound>, TransportError> {
        collect(self.connect().await.send(outbound).await?).await
    }
}

/// A client that somebody might write: hyper over TCP.
pub(super) struct Custom {
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Custom {
    pub(super) fn new() -> Self {
        Self { client: Client::builder(TokioExecutor::new()).build_http() }
    }
}

impl HttpClient for Custom {
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
        Ok(self.client.request(request.map(Full::new)).await?.map(Body::new))
    }
}

/// Makes a modern request.
pub(super) fn modern(id: i64, method: &'static str) -> Outbound {
    Outbound::request(id.into(), method, None).at(Revision::V2026_07_28)
}

/// Makes a legacy request, which a notification withdraws.
pub(super) fn legacy(id: i64, method: &'static str) -> Outbound {
    let mut outbound = Outbound::request(id.into(), method, None).at(Revision::V2025_11_25);
    outbound.cancels_by_notification = true;
    outbound
}

/// Makes the request that opens a legacy session.
pub(super) fn initialize(id: i64) -> Outbound {
    Outbound::request(id.into(), "initialize", None).at(Revision::V2025_11_25).opening()
}

/// Writes a result.
pub(super) fn result(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// Writes an event of a message.
pub(super) fn event(message: &str) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// Collects all that comes of an exchange.
pub(super) async fn collect(mut exchange: Exchange) -> Result<Vec<Inbound>, TransportError> {
    let mut all = Vec::new();
    while let Some(inbound) = exchange.next().await {
        all.push(inbound?);
    }
    Ok(all)
}

/// Names what came, in a form that reads well in an assertion.
pub(super) fn shown(inbound: &Inbound) -> String {
    match inbound {
        Inbound::Message(Message::Request(request)) => format!("request {}", request.method),
        Inbound::Message(Message::Notification(notification)) => notification.method.to_string(),
        Inbound::Message(Message::Response(response)) => match (&response.id, &response.outcome) {
            (ReplyId::Id(Id::Number(id)), Ok(_)) => format!("result {id}"),
            (id, Ok(_)) => format!("result {id}"),
            (id, Err(error)) => format!("error {id} {}", error.code),
        },
        Inbound::Unreadable(unreadable) => format!("unreadable {:?}", unreadable.id),
        Inbound::TooLarge(limit) => format!("too large {limit}"),
        Inbound::Http(reply) => format!("{} {}", reply.status, body(reply)),
        Inbound::Endpoint(endpoint) => format!("endpoint {endpoint}"),
        Inbound::Missed => "missed".to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn body(reply: &diglot::transport::HttpReply) -> String {
    use diglot::transport::ReplyBody as Body;
    match &reply.body {
        Body::Rpc(response) => match &response.outcome {
            Ok(_) => format!("result {}", response.id),
            Err(error) => format!("error {} {}", response.id, error.code),
        },
        Body::Unreadable(_) => "unreadable".to_owned(),
        Body::OtherJson => "other JSON".to_owned(),
        Body::WebPage(title) => format!("page {title:?}"),
        Body::Text => "text".to_owned(),
        Body::Empty => "empty".to_owned(),
        Body::TooLarge(limit) => format!("too large {limit}"),
        _ => "unknown".to_owned(),
    }
}

/// Names all that came.
pub(super) fn all_shown(all: &[Inbound]) -> Vec<String> {
    all.iter().map(shown).collect()
}

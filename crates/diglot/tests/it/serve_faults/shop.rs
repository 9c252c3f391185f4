//! A listener over real sockets, and a client that writes every byte by hand.

use std::net::SocketAddr;
use std::time::Duration;

use diglot::http::{HttpServer, HttpService};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::serve_http::desk::modern;

/// Longer than anything takes here that comes to its end at all.
pub(super) const LONG: Duration = Duration::from_secs(120);

/// A listener, until it is told to stop.
pub(super) struct Shop {
    pub(super) address: SocketAddr,
    pub(super) stop: oneshot::Sender<()>,
    pub(super) served: JoinHandle<()>,
}

impl Shop {
    pub(super) async fn of(
        service: impl Into<HttpService>,
        set: impl FnOnce(HttpServer) -> HttpServer,
    ) -> Self {
        let listener = HttpServer::bind(service, ([127, 0, 0, 1], 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let listener = set(listener).with_graceful_shutdown(async { drop(stopped.await) });
        let served = tokio::spawn(async { listener.serve().await.unwrap() });
        Self { address, stop, served }
    }

    pub(super) async fn connect(&self) -> Peer {
        Peer(TcpStream::connect(self.address).await.unwrap())
    }

    /// Makes sure that a client that does nothing wrong is served.
    pub(super) async fn serves(&self) {
        let mut peer = self.connect().await;
        let status = peer.ask(&head(&discover(1)), &discover(1).to_string()).await.0;
        assert_eq!(status, 200);
    }
}

pub(super) fn discover(id: i64) -> Value {
    modern(id, "server/discover", json!({}))
}

/// Returns the lines of a head that mirror a modern message, each with its end.
pub(super) fn head(message: &Value) -> String {
    let method = message["method"].as_str().unwrap();
    let name = message["params"]["name"].as_str();
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}")
}

/// Writes a whole request.
pub(super) fn request(more: &str, body: &str) -> String {
    format!("{}Content-Length: {}\r\n\r\n{body}", start(more), body.len())
}

/// Writes a request as far as the length of its body.
pub(super) fn start(more: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{more}"
    )
}

/// A client's end of a connection.
pub(super) struct Peer(pub(super) TcpStream);

impl Peer {
    pub(super) async fn say(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends a request and reads the answer to it, which names its length.
    pub(super) async fn ask(&mut self, more: &str, body: &str) -> (u16, String) {
        self.say(&request(more, body)).await;
        self.answer().await
    }

    /// Reads one answer that names its length: its status and its body.
    pub(super) async fn answer(&mut self) -> (u16, String) {
        let mut text = Vec::new();
        let body = loop {
            if let Some(at) = text.windows(4).position(|end| end == b"\r\n\r\n") {
                break at + 4;
            }
            assert_ne!(self.read(&mut text).await, 0, "{}", String::from_utf8_lossy(&text));
        };
        let head = String::from_utf8(text[..body].to_vec()).unwrap().to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while text.len() < body + length {
            assert_ne!(self.read(&mut text).await, 0);
        }
        assert_eq!(text.len(), body + length, "nothing is said that was not asked for");
        (head[9..12].parse().unwrap(), String::from_utf8(text.split_off(body)).unwrap())
    }

    /// Reads until the text has a word, or to the end.
    pub(super) async fn read_to(&mut self, word: &str) -> String {
        let mut text = Vec::new();
        let mut seen = 0;
        while !String::from_utf8_lossy(&text[seen..]).contains(word) {
            seen = text.len().saturating_sub(word.len());
            if self.read(&mut text).await == 0 {
                break;
            }
        }
        String::from_utf8(text).unwrap()
    }

    /// Reads what comes next, which is nothing at the end, however it ends.
    async fn read(&mut self, text: &mut Vec<u8>) -> usize {
        let read = tokio::time::timeout(LONG, self.0.read_buf(text)).await;
        read.expect("the server answers").unwrap_or(0)
    }
}

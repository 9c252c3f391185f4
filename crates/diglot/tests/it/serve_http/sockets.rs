//! The listener over real sockets: what is on the wire, how long a connection lasts, and how it all ends.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use diglot::http::HttpServer;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::desk::{Desk, all_shown, call, messages, modern};

/// A listener of a desk, until it is told to stop.
struct Shop {
    desk: Desk,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Shop {
    async fn open() -> Self {
        Self::with(|listener| listener).await
    }

    async fn with(set: impl FnOnce(HttpServer) -> HttpServer) -> Self {
        let desk = Desk::new();
        let listener = HttpServer::bind(desk.server.clone(), ([127, 0, 0, 1], 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(listener.url(), format!("http://{address}/mcp"));
        let (stop, stopped) = oneshot::channel::<()>();
        let listener = set(listener).with_graceful_shutdown(async { drop(stopped.await) });
        let served = tokio::spawn(async { listener.serve().await.unwrap() });
        Self { desk, address, stop, served }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Writes a modern request as it goes over the wire.
fn wire(message: &Value, path: &str, host: &str) -> String {
    let body = message.to_string();
    let method = message["method"].as_str().unwrap();
    let name =
        message["params"]["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads until the text has a word, or to the end of the connection.
async fn read_to(stream: &mut TcpStream, word: &str) -> String {
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains(word) {
        if stream.read_buf(&mut text).await.unwrap() == 0 {
            break;
        }
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_connection_carries_one_call_after_another() {
    let shop = Shop::open().await;
    let mut stream = shop.connect().await;
    for id in 0..3 {
        let request = wire(&call(id, "add", json!({"a": id, "b": 1})), "/mcp", "127.0.0.1");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_to(&mut stream, "}}}").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains(&format!("\"text\":\"{}\"", id + 1)), "{answer}");
    }
}

#[tokio::test]
async fn head_and_first_event_come_in_one_piece_and_so_do_result_and_end() {
    let shop = Shop::open().await;
    let mut stream = shop.connect().await;
    let mut message = call(1, "tell_and_wait", json!({}));
    message["params"]["_meta"]["progressToken"] = 1.into();
    stream.write_all(wire(&message, "/mcp", "localhost").as_bytes()).await.unwrap();
    let mut piece = Vec::with_capacity(4096);
    stream.read_buf(&mut piece).await.unwrap();
    let piece = String::from_utf8(piece).unwrap();
    assert!(piece.contains("text/event-stream") && piece.contains("notifications/progress"), "{piece}");
    shop.desk.gate.notify_one();
    let mut piece = Vec::with_capacity(4096);
    stream.read_buf(&mut piece).await.unwrap();
    let piece = String::from_utf8(piece).unwrap();
    assert!(piece.contains("\"waited\"") && piece.ends_with("\r\n0\r\n\r\n"), "{piece}");
}

#[tokio::test]
async fn other_paths_are_not_found() {
    let shop = Shop::open().await;
    for (path, line) in [
        ("/", "HTTP/1.1 404 Not Found"),
        ("/.well-known/oauth-protected-resource", "HTTP/1.1 404 Not Found"),
        ("/mcp/other", "HTTP/1.1 404 Not Found"),
        ("/mcp/", "HTTP/1.1 200 OK"),
        ("/mcp?key=value", "HTTP/1.1 200 OK"),
    ] {
        let mut stream = shop.connect().await;
        let request = wire(&modern(1, "server/discover", json!({})), path, "localhost");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_to(&mut stream, "\r\n\r\n").await;
        assert!(answer.starts_with(line), "{path}: {answer}");
    }
}

#[tokio::test]
async fn the_host_is_checked_on_the_wire() {
    let shop = Shop::open().await;
    let mut stream = shop.connect().await;
    let request = wire(&modern(1, "server/discover", json!({})), "/mcp", "evil.example.com");
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = read_to(&mut stream, "allowed_hosts").await;
    assert!(answer.starts_with("HTTP/1.1 403 Forbidden"), "{answer}");
}

#[tokio::test]
async fn http_2_is_spoken_to_who_speaks_it() {
    let shop = Shop::open().await;
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    for (host, status) in [("localhost", 200), ("127.0.0.1", 200)] {
        let request = Request::post(format!("http://{host}:{}/mcp", shop.address.port()))
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "server/discover");
        let body = Full::from(modern(1, "server/discover", json!({})).to_string());
        let response = client.request(request.body(body).unwrap()).await.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.version(), http::Version::HTTP_2);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&body).contains("supportedVersions"));
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_cancels_its_request() {
    let shop = Shop::open().await;
    let mut stream = shop.connect().await;
    stream.write_all(wire(&call(1, "wait", json!({})), "/mcp", "localhost").as_bytes()).await.unwrap();
    shop.desk.is_waiting(1).await;
    drop(stream);
    shop.desk.has_dropped(1).await;
}

#[tokio::test]
async fn a_graceful_end_lets_requests_end_and_completes_subscriptions() {
    let shop = Shop::open().await;
    let mut listening = shop.connect().await;
    let wanted = modern(7, "subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    listening.write_all(wire(&wanted, "/mcp", "localhost").as_bytes()).await.unwrap();
    read_to(&mut listening, "acknowledged").await;
    let mut calling = shop.connect().await;
    calling.write_all(wire(&call(1, "wait", json!({})), "/mcp", "localhost").as_bytes()).await.unwrap();
    shop.desk.is_waiting(1).await;
    let mut idle = shop.connect().await;
    idle.write_all(wire(&call(1, "chat", json!({})), "/mcp", "localhost").as_bytes()).await.unwrap();
    read_to(&mut idle, "}}}").await;
    shop.stop.send(()).unwrap();
    let rest = read_to(&mut listening, "nothing has this").await;
    assert_eq!(all_shown(&messages(&rest)), ["result 7"]);
    assert_eq!(read_to(&mut idle, "nothing has this").await, "");
    shop.desk.gate.notify_one();
    assert!(read_to(&mut calling, "nothing has this").await.contains("\"waited\""));
    shop.served.await.unwrap();
    assert!(TcpStream::connect(shop.address).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn what_does_not_end_in_time_is_cut_off() {
    let shop = Shop::with(|listener| listener.shutdown_timeout(Duration::from_secs(5))).await;
    let mut calling = shop.connect().await;
    calling.write_all(wire(&call(1, "wait", json!({})), "/mcp", "localhost").as_bytes()).await.unwrap();
    shop.desk.is_waiting(1).await;
    shop.stop.send(()).unwrap();
    shop.served.await.unwrap();
    shop.desk.has_dropped(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_request_is_closed() {
    let shop = Shop::open().await;
    let began = tokio::time::Instant::now();
    let mut stream = shop.connect().await;
    stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: local").await.unwrap();
    assert_eq!(read_to(&mut stream, "nothing has this").await, "");
    assert_eq!(began.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_closed_when_it_is_idle_and_not_while_a_stream_is_open() {
    let shop = Shop::open().await;
    let mut idle = shop.connect().await;
    idle.write_all(wire(&call(1, "chat", json!({})), "/mcp", "localhost").as_bytes()).await.unwrap();
    read_to(&mut idle, "}}}").await;
    let mut listening = shop.connect().await;
    let wanted = modern(7, "subscriptions/listen", json!({ "notifications": {} }));
    listening.write_all(wire(&wanted, "/mcp", "localhost").as_bytes()).await.unwrap();
    read_to(&mut listening, "acknowledged").await;
    let began = tokio::time::Instant::now();
    assert_eq!(read_to(&mut idle, "nothing has this").await, "");
    let waited = began.elapsed().as_secs();
    assert!((120..=190).contains(&waited), "{waited}");
    while began.elapsed() < Duration::from_secs(1_000) {
        assert!(read_to(&mut listening, ": \n\n").await.contains(": \n\n"));
    }
}

#[tokio::test]
async fn past_the_limit_connections_wait() {
    let shop = Shop::with(|listener| listener.max_connections(1)).await;
    let mut first = shop.connect().await;
    let request = wire(&call(1, "chat", json!({})), "/mcp", "localhost");
    first.write_all(request.as_bytes()).await.unwrap();
    read_to(&mut first, "}}}").await;
    let mut second = shop.connect().await;
    second.write_all(request.as_bytes()).await.unwrap();
    drop(first);
    assert!(read_to(&mut second, "}}}").await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let shop = Shop::open().await;
    let error = HttpServer::bind(Desk::new().server, shop.address).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {}", shop.address));
    assert!(std::error::Error::source(&error).is_some());
}

#[cfg(unix)]
#[tokio::test]
async fn a_stale_unix_socket_is_replaced_and_a_live_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let listener = HttpServer::bind_unix(Desk::new().server, &path).await.unwrap();
    let served = tokio::spawn(listener.serve());
    let error = HttpServer::bind_unix(Desk::new().server, &path).await.unwrap_err();
    assert!(error.to_string().ends_with("mcp.sock"), "{error}");
    served.abort();
}

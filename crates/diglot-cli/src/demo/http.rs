//! A small HTTP/1.1 server on the loopback interface that plays scripted servers, one below each path.
//!
//! It reads one request a connection, within limits of size and time, and ends with the value that holds it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use super::script::{Answer, Stage, Wire, lock, method};

/// The longest request line with headers, and the longest body, in bytes.
const MOST_HEAD: usize = 16 * 1024;
const MOST_BODY: usize = 64 * 1024;
/// How many connections may be open.
const MOST_CONNECTIONS: usize = 256;
/// How long a connection may last; the whole tour takes a fraction of it.
const LONGEST: Duration = Duration::from_secs(10);
/// The session that a legacy server opens.
const SESSION: &str = "demo-session";

/// A listening server; it stops when this is dropped.
#[derive(Debug)]
pub(super) struct Site {
    address: SocketAddr,
    stages: Stages,
    task: JoinHandle<()>,
}

/// The performances, each below the path of its place.
type Stages = Arc<Mutex<Vec<Arc<Stage>>>>;

impl Site {
    /// Opens a port that the system chooses, with nothing behind it yet.
    pub(super) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let stages = Stages::default();
        let task = tokio::spawn(accept(listener, stages.clone()));
        Ok(Self { address, stages, task })
    }

    /// Hosts a performance, and returns its address.
    pub(super) fn host(&self, stage: Arc<Stage>) -> String {
        let mut stages = lock(&self.stages);
        stages.push(stage);
        format!("http://{}/{}/mcp", self.address, stages.len() - 1)
    }

    /// Stops, and waits until the port and all connections are closed.
    pub(super) async fn close(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, stages: Stages) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MOST_CONNECTIONS {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                let stages = stages.clone();
                connections.spawn(async move {
                    // A client that breaks off, or stays too long, is no concern of the tour.
                    let _ = timeout(LONGEST, converse(stream, &stages)).await;
                });
            }
            // Such as too many open files: there may be room again when a connection has ended.
            Err(_) if connections.join_next().await.is_none() => return,
            Err(_) => {}
        }
    }
}

/// One HTTP request.
struct Request {
    method: String,
    path: String,
    has_session: bool,
    body: Vec<u8>,
}

async fn converse(mut stream: TcpStream, stages: &Stages) -> io::Result<()> {
    let Some(request) = read(&mut stream).await? else {
        return status(&mut stream, 400).await;
    };
    let Some((place, stage, page)) = find(&request.path, stages) else {
        return status(&mut stream, 404).await;
    };
    match (stage.server.wire, request.method.as_str(), page) {
        (Wire::Http, "POST", "mcp") => post(&mut stream, &request, &stage).await,
        (Wire::Http, "DELETE", "mcp") if request.has_session => status(&mut stream, 200).await,
        (Wire::HttpSse, "GET", "mcp") => events(&mut stream, &stage, place).await,
        (Wire::HttpSse, "POST", "mcp") => {
            let message = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
            let _ = stage.note(method(&message));
            status(&mut stream, 405).await
        }
        (Wire::HttpSse, "POST", "messages") => message(&mut stream, &request, &stage).await,
        _ => status(&mut stream, 405).await,
    }
}

/// Finds the performance at a path, with its place and what of it is asked for.
fn find<'a>(path: &'a str, stages: &Stages) -> Option<(usize, Arc<Stage>, &'a str)> {
    let (place, page) = path.strip_prefix('/')?.split_once('/')?;
    let place: usize = place.parse().ok()?;
    let stage = lock(stages).get(place)?.clone();
    Some((place, stage, page))
}

/// Answers a POST of Streamable HTTP.
async fn post(stream: &mut TcpStream, request: &Request, stage: &Stage) -> io::Result<()> {
    let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
        return status(stream, 400).await;
    };
    let response = match stage.hear(&message) {
        Answer::Message(status, message) => {
            let session = match message.pointer("/result/protocolVersion").is_some() {
                true => format!("Mcp-Session-Id: {SESSION}\r\n"),
                false => String::new(),
            };
            let body = message.to_string();
            head(status, "application/json", Some(body.len()), &session) + &body
        }
        Answer::Body { status, content_type, challenge, body } => {
            let challenge = challenge.map(|challenge| format!("WWW-Authenticate: {challenge}\r\n"));
            head(status, content_type, Some(body.len()), &challenge.unwrap_or_default()) + &body
        }
        Answer::Accepted => head(202, "text/plain", Some(0), ""),
        Answer::Silence => return until_closed(stream).await,
        Answer::Close => return Ok(()),
    };
    write(stream, &response).await
}

/// Opens the event stream of HTTP+SSE and passes on what is to be said over it.
async fn events(stream: &mut TcpStream, stage: &Stage, place: usize) -> io::Result<()> {
    let mut events = stage.open_events();
    let opening = head(200, "text/event-stream", None, "Cache-Control: no-store\r\n");
    let endpoint = format!("{opening}event: endpoint\ndata: /{place}/messages\n\n");
    stream.write_all(endpoint.as_bytes()).await?;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => {
                    stream.write_all(format!("event: message\ndata: {event}\n\n").as_bytes()).await?;
                }
                None => return stream.shutdown().await,
            },
            closed = stream.read_u8() => return closed.map(|_| ()),
        }
    }
}

/// Takes a POST of HTTP+SSE, whose answer goes over the event stream.
async fn message(stream: &mut TcpStream, request: &Request, stage: &Stage) -> io::Result<()> {
    status(stream, 202).await?;
    let Ok(message) = serde_json::from_slice::<Value>(&request.body) else { return Ok(()) };
    if let Answer::Message(_, answer) = stage.hear(&message) {
        stage.send_event(&answer);
    }
    Ok(())
}

/// Says nothing until the client goes.
async fn until_closed(stream: &mut TcpStream) -> io::Result<()> {
    stream.read_u8().await.map(|_| ())
}

/// Reads one request; nothing where it is no HTTP/1.1 request within the limits.
async fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MOST_HEAD || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let mut body = bytes.split_off(end + 4);
    let Some((mut request, length)) = parse_head(&String::from_utf8_lossy(&bytes)) else {
        return Ok(None);
    };
    if length > MOST_BODY {
        return Ok(None);
    }
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    body.truncate(length);
    request.body = body;
    Ok(Some(request))
}

/// Reads the request line and what the tour needs of the headers, with the length of the body.
fn parse_head(head: &str) -> Option<(Request, usize)> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request { method, path, has_session: false, body: Vec::new() };
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "transfer-encoding" => return None,
            "mcp-session-id" => request.has_session = value.trim() == SESSION,
            _ => {}
        }
    }
    Some((request, length))
}

/// Writes a response's head; `extra` are whole header lines.
fn head(status: u16, content_type: &str, length: Option<usize>, extra: &str) -> String {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\n{length}{extra}Connection: close\r\n\r\n",
        reason(status)
    )
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        422 => "Unprocessable Content",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Other",
    }
}

/// Sends a response without a body.
async fn status(stream: &mut TcpStream, status: u16) -> io::Result<()> {
    write(stream, &head(status, "text/plain", Some(0), "")).await
}

async fn write(stream: &mut TcpStream, response: &str) -> io::Result<()> {
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn exchange(site: &Site, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused_before_it_comes() {
        let site = Site::open().await.unwrap();
        let head = format!("POST /0/mcp HTTP/1.1\r\nContent-Length: {}\r\n\r\n", MOST_BODY + 1);
        assert!(exchange(&site, head.as_bytes()).await.starts_with("HTTP/1.1 400 "));
    }

    #[tokio::test]
    async fn a_path_without_a_performance_is_not_found() {
        let site = Site::open().await.unwrap();
        assert!(exchange(&site, b"GET /7/mcp HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 404 "));
    }

    #[tokio::test]
    async fn nobody_listens_after_the_close() {
        let site = Site::open().await.unwrap();
        let address = site.address;
        site.close().await;
        assert!(TcpStream::connect(address).await.is_err());
    }
}

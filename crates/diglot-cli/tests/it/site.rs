//! A tiny HTTP server that answers each request as a closure says and remembers what it was sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came: its first line, its headers and its body.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    /// Returns the id of the JSON-RPC request, as its token.
    pub(crate) fn id(&self) -> String {
        let message: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        message["id"].to_string()
    }

    /// Tells whether the message calls a method.
    pub(crate) fn calls(&self, method: &str) -> bool {
        self.body.contains(&format!("\"method\":\"{method}\""))
    }
}

/// An answer: status, further headers, body.
pub(crate) type Answer = (u16, &'static str, String);

/// A server that lives as long as the test's process.
pub(crate) struct Site {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Site {
    /// Starts to listen on a free port.
    pub(crate) fn new(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), seen.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, log) = (answer.clone(), log.clone());
                std::thread::spawn(move || serve(stream, &*answer, &log));
            }
        });
        Self { url, seen }
    }

    /// Answers every request with the same status and body.
    pub(crate) fn always(status: u16, headers: &'static str, body: &'static str) -> Self {
        Self::new(move |_| (status, headers, body.to_owned()))
    }

    /// Returns what it was sent so far.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// Answers as a legacy server with a session.
pub(crate) fn legacy(request: &Request) -> Answer {
    const JSON: &str = "content-type: application/json\r\nmcp-session-id: 0123456789abcdef-session\r\n";
    let result = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id());
    if request.calls("initialize") {
        let body = result(
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"site","version":"2"}}"#,
        );
        return (200, JSON, body);
    }
    if request.calls("tools/call") {
        return (200, JSON, result(r#"{"content":[{"type":"text","text":"you sent tok-0123456789"}]}"#));
    }
    if request.calls("notifications/initialized") {
        return (202, "", String::new());
    }
    (400, "content-type: text/plain\r\n", "Bad Request: no valid session".to_owned())
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Request) -> Answer, log: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        log.lock().unwrap().push(request.clone());
        let (status, headers, body) = answer(&request);
        let text = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len());
        if reader.get_mut().write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if head[before..].trim().is_empty() {
            break;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let method = head.split(' ').next()?.to_owned();
    Some(Request { method, head, body: String::from_utf8_lossy(&body).into_owned() })
}

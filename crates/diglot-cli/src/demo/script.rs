//! How a scripted server answers one message, whatever wire it came over.
//!
//! A [`Server`] is a row of the table in `servers.rs`; a [`Stage`] is one performance of it, with what it heard.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::verdict::Verdict;

/// How many methods a performance notes, and how often one server may be asked.
const MOST_MESSAGES: usize = 64;

/// Where a modern request names its revision.
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Where a modern result identifies its server.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// What carries the messages of a scripted server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// Streamable HTTP.
    Http,
    /// The deprecated HTTP+SSE transport.
    HttpSse,
    /// A pipe in memory.
    Pipe,
}

impl Wire {
    /// Names the wire, for people and scripts.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::HttpSse => "http+sse",
            Self::Pipe => "pipe",
        }
    }
}

/// A scripted server, and what each policy must make of it.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) wire: Wire,
    /// The answers to the first probe, the second, and so on; the last one stands for all that follow.
    pub(super) discover: &'static [Reply],
    pub(super) initialize: Reply,
    /// What the conservative, the standard and the lenient policy must decide.
    pub(super) expected: [Verdict; 3],
}

impl Server {
    /// Tells whether the server never answers the probe, so that waiting long for it would be in vain.
    pub(super) fn is_silent(&self) -> bool {
        self.discover.iter().any(|reply| matches!(reply, Reply::Silence))
    }
}

/// A scripted answer to an opening request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    /// A `DiscoverResult` that lists these versions.
    Discovery(&'static [&'static str]),
    /// An `InitializeResult` at this revision.
    Initialization(&'static str),
    /// A JSON-RPC error, and the HTTP status under which it comes.
    Error { status: u16, id: ErrorId, code: i64, message: &'static str },
    /// `-32022` with the list of what is supported.
    WrongVersion(&'static [&'static str]),
    /// An HTTP status with plain text.
    Text(u16, &'static str),
    /// An HTML page with this title, at status 200.
    Page(&'static str),
    /// A demand for credentials, with this challenge.
    Challenge(&'static str),
    /// No answer at all.
    Silence,
    /// The end of the connection.
    Close,
}

/// The id that a JSON-RPC error carries.
#[derive(Clone, Copy, Debug)]
pub(super) enum ErrorId {
    /// The request's.
    Ours,
    /// `null`.
    Null,
    /// Some text, the same for every request.
    Text(&'static str),
}

/// What a server does about one message.
#[derive(Debug)]
pub(super) enum Answer {
    /// It sends a JSON-RPC message, over HTTP with this status.
    Message(u16, Value),
    /// It sends something that is no message, which only HTTP can.
    Body { status: u16, content_type: &'static str, challenge: Option<&'static str>, body: String },
    /// It takes the message and has nothing to say.
    Accepted,
    /// It keeps the request open and says nothing.
    Silence,
    /// It closes the connection.
    Close,
}

/// One performance of a scripted server: each connect has its own.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) server: &'static Server,
    heard: Mutex<Vec<String>>,
    events: Mutex<Option<mpsc::Sender<String>>>,
}

impl Stage {
    /// Prepares a performance.
    pub(super) fn new(server: &'static Server) -> Self {
        Self { server, heard: Mutex::default(), events: Mutex::default() }
    }

    /// Hears a message and answers it.
    pub(super) fn hear(&self, message: &Value) -> Answer {
        let method = method(message);
        let Some(earlier) = self.note(method) else { return Answer::Close };
        let Some(id) = message.get("id") else { return Answer::Accepted };
        match method {
            "server/discover" => {
                let reply = self.server.discover.get(earlier).or(self.server.discover.last());
                reply.map_or(Answer::Close, |reply| reply.render(id, self.server))
            }
            "initialize" => self.server.initialize.render(id, self.server),
            "tools/list" => result(id, in_its_era(message, list_of_tools())),
            "tools/call" => result(id, in_its_era(message, sum(message))),
            _ => error(200, id, -32601, "Method not found"),
        }
    }

    /// Notes that a method was heard and returns how often it was before, unless the limit is reached.
    pub(super) fn note(&self, method: &str) -> Option<usize> {
        let mut heard = lock(&self.heard);
        if heard.len() >= MOST_MESSAGES {
            return None;
        }
        let earlier = heard.iter().filter(|earlier| *earlier == method).count();
        heard.push(method.to_owned());
        Some(earlier)
    }

    /// Returns the methods that were heard, in their order.
    pub(super) fn heard(&self) -> Vec<String> {
        lock(&self.heard).clone()
    }

    /// Opens the event stream of the HTTP+SSE transport; a second one takes the place of the first.
    pub(super) fn open_events(&self) -> mpsc::Receiver<String> {
        let _ = self.note("GET");
        let (sender, receiver) = mpsc::channel(MOST_MESSAGES);
        *lock(&self.events) = Some(sender);
        receiver
    }

    /// Sends a message over the event stream, if there is one.
    pub(super) fn send_event(&self, message: &Value) {
        if let Some(events) = lock(&self.events).as_ref() {
            // Where the stream is gone, nobody waits for the event.
            let _ = events.try_send(message.to_string());
        }
    }
}

impl Reply {
    fn render(self, id: &Value, server: &Server) -> Answer {
        let identity = json!({ "name": server.name, "version": "1.0.0" });
        match self {
            Self::Discovery(versions) => result(
                id,
                json!({
                    "resultType": "complete",
                    "supportedVersions": versions,
                    "capabilities": { "tools": {} },
                    "ttlMs": 0,
                    "cacheScope": "private",
                    "_meta": { SERVER_INFO: identity },
                }),
            ),
            Self::Initialization(version) => result(
                id,
                json!({
                    "protocolVersion": version,
                    "capabilities": { "tools": {} },
                    "serverInfo": identity,
                }),
            ),
            Self::Error { status, id: ErrorId::Ours, code, message } => error(status, id, code, message),
            Self::Error { status, id: ErrorId::Null, code, message } => {
                error(status, &Value::Null, code, message)
            }
            Self::Error { status, id: ErrorId::Text(text), code, message } => {
                error(status, &json!(text), code, message)
            }
            Self::WrongVersion(supported) => {
                let data = json!({ "supported": supported, "requested": "2026-07-28" });
                let error =
                    json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
                Answer::Message(400, json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            }
            Self::Text(status, text) => body(status, "text/plain", text.to_owned()),
            Self::Page(title) => {
                let page = format!("<!doctype html><title>{title}</title><h1>{title}</h1>");
                body(200, "text/html; charset=utf-8", page)
            }
            Self::Challenge(challenge) => Answer::Body {
                status: 401,
                content_type: "text/plain",
                challenge: Some(challenge),
                body: "Unauthorized".to_owned(),
            },
            Self::Silence => Answer::Silence,
            Self::Close => Answer::Close,
        }
    }
}

fn result(id: &Value, result: Value) -> Answer {
    Answer::Message(200, json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn error(status: u16, id: &Value, code: i64, message: &str) -> Answer {
    let error = json!({ "code": code, "message": message });
    Answer::Message(status, json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

fn body(status: u16, content_type: &'static str, body: String) -> Answer {
    Answer::Body { status, content_type, challenge: None, body }
}

fn list_of_tools() -> Value {
    let number = json!({ "type": "integer" });
    json!({ "tools": [{
        "name": "add",
        "description": "Adds two integers",
        "inputSchema": {
            "type": "object",
            "properties": { "a": number, "b": number },
            "required": ["a", "b"],
        },
    }] })
}

fn sum(request: &Value) -> Value {
    let argument = |path| request.pointer(path).and_then(Value::as_i64);
    let (a, b) = (argument("/params/arguments/a"), argument("/params/arguments/b"));
    let sum = a.zip(b).and_then(|(a, b)| a.checked_add(b));
    let text = sum.map_or("a and b must be integers with a sum".to_owned(), |sum| sum.to_string());
    json!({ "content": [{ "type": "text", "text": text }], "isError": sum.is_none() })
}

/// Adds what the modern era wants in a result, where the request is a modern one.
fn in_its_era(request: &Value, mut result: Value) -> Value {
    let envelope = request.pointer("/params/_meta");
    let is_modern = envelope.is_some_and(|envelope| envelope.get(PROTOCOL_VERSION).is_some());
    if let (true, Some(result)) = (is_modern, result.as_object_mut()) {
        result.insert("resultType".to_owned(), json!("complete"));
        if result.contains_key("tools") {
            result.insert("ttlMs".to_owned(), json!(0));
            result.insert("cacheScope".to_owned(), json!("private"));
        }
    }
    result
}

/// Returns a message's method; it is empty for what has none.
pub(super) fn method(message: &Value) -> &str {
    message.get("method").and_then(Value::as_str).unwrap_or_default()
}

/// Locks what a performance shares between its connections.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these, so that a poisoned one still holds what it should.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! How a scripted server answers one message, whatever wire it came over.
//!
//! A [`Server`] is a row of the table in `servers.rs`; a [`Stage`] is one performance of a scripted one.

use std::sync::{Mutex, PoisonError};

use super::sound::Sound;
use super::verdict::Verdict;
use serde_json::{Value, json};

/// How many methods a performance notes, and how often one server may be asked.
const MOST_MESSAGES: usize = 64;

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

/// A server, and what each policy must make of it.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) wire: Wire,
    pub(super) part: Part,
    /// What the conservative, the standard and the lenient policy must decide.
    pub(super) expected: [Verdict; 3],
}

/// How a server comes to its answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// It is one that the SDK makes.
    Sound(Sound),
    /// It follows a script.
    Scripted(Script),
}

/// What a scripted server answers to the opening requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script {
    /// The answers to the first probe, the second, and so on; the last one stands for all that follow.
    pub(super) discover: &'static [Reply],
    pub(super) initialize: Reply,
}

impl Server {
    /// Tells whether the server never answers the probe, so that waiting long for it would be in vain.
    pub(super) fn is_silent(&self) -> bool {
        let Part::Scripted(script) = &self.part else { return false };
        script.discover.iter().any(|reply| matches!(reply, Reply::Silence))
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
    name: &'static str,
    script: Script,
    heard: Mutex<Vec<String>>,
}

impl Stage {
    /// Prepares a performance.
    pub(super) fn new(name: &'static str, script: Script) -> Self {
        Self { name, script, heard: Mutex::default() }
    }

    /// Hears a message and answers it.
    pub(super) fn hear(&self, message: &Value) -> Answer {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let Some(earlier) = self.note(method) else { return Answer::Close };
        let Some(id) = message.get("id") else { return Answer::Accepted };
        match method {
            "server/discover" => {
                let reply = self.script.discover.get(earlier).or(self.script.discover.last());
                reply.map_or(Answer::Close, |reply| reply.render(id, self.name))
            }
            "initialize" => self.script.initialize.render(id, self.name),
            _ => error(200, id, -32601, "Method not found"),
        }
    }

    /// Notes that a method was heard and returns how often it was before, unless the limit is reached.
    fn note(&self, method: &str) -> Option<usize> {
        // Nothing panics while it is held, so that a poisoned one still holds what it should.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() >= MOST_MESSAGES {
            return None;
        }
        let earlier = heard.iter().filter(|earlier| *earlier == method).count();
        heard.push(method.to_owned());
        Some(earlier)
    }
}

impl Reply {
    fn render(self, id: &Value, name: &str) -> Answer {
        let identity = json!({ "name": name, "version": "1.0.0" });
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

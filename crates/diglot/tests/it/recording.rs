//! Records what this crate emits in its tests, so that it can be held against the official schemas afterwards.
//!
//! The lines land in `wire/` of the target folder; `cargo xtask schema` reads them. What a client says is recorded as it is;
//! what a server says with the revision in use and the method of the request, which [`Talk`] keeps track of.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::pin::Pin;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use diglot::Revision;
use diglot::http::Body;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

/// The environment variable that names the part of a process that a test has started.
pub(crate) const PART: &str = "DIGLOT_FAULT_PART";

/// The longest message that is recorded, in bytes: longer ones are padding of tests.
const LONGEST: usize = 64 * 1024;

static FILE: LazyLock<Mutex<Option<File>>> = LazyLock::new(|| {
    // A part that is played in a process of its own must not begin the file anew.
    if std::env::var_os(PART).is_some() {
        return Mutex::new(None);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().map(|target| target.join("wire"));
    let file = folder.and_then(|folder| {
        std::fs::create_dir_all(&folder).ok()?;
        File::create(folder.join("diglot.jsonl")).ok()
    });
    Mutex::new(file)
});

/// The revisions of legacy sessions over HTTP, by their ids.
static SESSIONS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// Records a message of one side at a revision; `method` is that of the request, for a response.
pub(crate) fn record(revision: &str, from: &str, method: Option<&str>, message: &Value) {
    // Methods of the tests' own are in no schema.
    if message["method"].as_str().is_some_and(|method| method.starts_with("x/")) {
        return;
    }
    let line =
        json!({ "revision": revision, "from": from, "method": method, "message": message }).to_string();
    if line.len() > LONGEST {
        return;
    }
    if let Some(file) = &mut *FILE.lock().unwrap_or_else(PoisonError::into_inner) {
        writeln!(file, "{line}").unwrap();
    }
}

/// A talk with a server: what is under way in it, so that each answer is recorded for what it is.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    /// The method and the revision of each request, by its id.
    asked: HashMap<String, (String, String)>,
    /// The revision of the legacy session.
    session: Option<String>,
}

impl Talk {
    /// Begins to talk in a legacy session.
    pub(crate) fn at(revision: Option<String>) -> Self {
        Self { session: revision, ..Self::default() }
    }

    /// Returns the revision of what belongs to no request.
    fn revision(&self) -> String {
        self.session.clone().unwrap_or_else(|| Revision::V2026_07_28.to_string())
    }

    /// Notes what the client says.
    pub(crate) fn heard(&mut self, message: &Value) {
        if let Value::Array(messages) = message {
            return messages.iter().for_each(|message| self.heard(message));
        }
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else { return };
        let named = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string();
        let revision = match named {
            true => Revision::V2026_07_28.to_string(),
            false => self.session.clone().unwrap_or_else(|| Revision::V2025_11_25.to_string()),
        };
        self.asked.insert(id.to_string(), (method.to_owned(), revision));
    }

    /// Records what the server says.
    pub(crate) fn said(&mut self, message: &Value) {
        if let Value::Array(messages) = message {
            return messages.iter().for_each(|message| self.said(message));
        }
        let of_modern_stream =
            message["params"]["_meta"].get("io.modelcontextprotocol/subscriptionId").is_some();
        let asked = message.get("id").and_then(|id| self.asked.get(&id.to_string())).cloned();
        // Over HTTP+SSE the answer comes by another way than the question.
        let agreed = message["result"]["protocolVersion"].as_str();
        let asked = asked.or(agreed.map(|revision| ("initialize".to_owned(), revision.to_owned())));
        match (message["method"].is_string(), asked) {
            (true, _) if of_modern_stream => record("2026-07-28", "server", None, message),
            (true, _) => record(&self.revision(), "server", None, message),
            (false, Some((method, mut revision))) => {
                if let Some(agreed) = agreed {
                    agreed.clone_into(&mut revision);
                    self.session = Some(revision.clone());
                }
                record(&revision, "server", Some(&method), message);
            }
            (false, None) if message.get("error").is_some() => {
                record(&self.revision(), "server", None, message);
            }
            // Which request it answers is not known where a test uses an id twice.
            (false, None) => {}
        }
    }
}

/// Notes a request over HTTP, and returns the talk that its answer belongs to.
pub(crate) async fn heard(request: &Request<Full<Bytes>>) -> Talk {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let session = {
        let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        header("mcp-session-id").and_then(|id| sessions.get(id).cloned())
    };
    let named = header("mcp-protocol-version").filter(|named| *named < "2026");
    let mut talk = Talk::at(session.or_else(|| named.map(str::to_owned)));
    let Ok(body) = request.body().clone().collect().await;
    if let Ok(message) = serde_json::from_slice(&body.to_bytes()) {
        talk.heard(&message);
    }
    talk
}

/// Records what the answer says when it is read.
pub(crate) fn tapped(talk: Talk, response: Response<Body>) -> Response<Body> {
    let session = response.headers().get("mcp-session-id").and_then(|id| Some(id.to_str().ok()?.to_owned()));
    let tap = |body| Tap { talk, session, body, text: Vec::new() };
    response.map(|body| Body::new(tap(body)))
}

/// A body that is recorded as it is read.
struct Tap {
    talk: Talk,
    /// The session that the response opens.
    session: Option<String>,
    body: Body,
    text: Vec<u8>,
}

impl Tap {
    fn take(&mut self, chunk: &[u8]) {
        self.text.extend_from_slice(chunk);
        let text = String::from_utf8_lossy(&self.text);
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let mut messages: Vec<Value> = data.filter_map(|data| serde_json::from_str(data).ok()).collect();
        messages.extend(serde_json::from_str::<Value>(&text));
        if messages.is_empty() {
            return;
        }
        messages.iter().for_each(|message| self.talk.said(message));
        self.text.clear();
        if let (Some(id), Some(revision)) = (&self.session, &self.talk.session) {
            let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.insert(id.clone(), revision.clone());
        }
    }
}

impl http_body::Body for Tap {
    type Data = Bytes;
    type Error = diglot::http::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(data) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
            self.take(data);
        }
        Poll::Ready(frame)
    }
}

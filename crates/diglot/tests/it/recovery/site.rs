//! A server behind an HTTP client of its own: no sockets, so that a paused clock stands still while it answers.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient, HttpSse, StreamableHttp};
use http::{Request, Response};
use http_body::Frame;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A request as it came, with the message in it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) at: Instant,
    pub(super) path: String,
    /// The method of the message, or that of HTTP where there is none.
    pub(super) method: String,
    pub(super) message: Value,
    pub(super) session: Option<String>,
    pub(super) last_event_id: Option<String>,
    pub(super) version: Option<String>,
}

/// What the server does with a request.
pub(super) enum Reply {
    /// Answers at once.
    Whole(Response<String>),
    /// Begins a stream; what a test sends follows, and an error breaks it off.
    Stream(mpsc::UnboundedReceiver<Result<Bytes, BoxError>>),
    /// Fails to answer at all.
    Fail(BoxError),
    /// Never answers.
    Hang,
}

type Script = dyn Fn(&Seen) -> Reply + Send + Sync;

/// A scripted server, and a record of all that it was asked.
#[derive(Clone)]
pub(super) struct Site {
    script: Arc<Script>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Site {
    pub(super) fn new(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), seen: Arc::default() }
    }

    pub(super) fn transport(&self) -> StreamableHttp {
        StreamableHttp::over("http://site/mcp", self.clone()).unwrap()
    }

    pub(super) fn http_sse(&self) -> HttpSse {
        HttpSse::over("http://site/sse", self.clone()).unwrap()
    }

    /// Says what the script does with a request, without noting it.
    pub(super) fn play(&self, seen: &Seen) -> Reply {
        (self.script)(seen)
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns what the server was asked, in its order, from the `skip`th on.
    pub(super) fn methods(&self, skip: usize) -> Vec<String> {
        self.seen().into_iter().skip(skip).map(|seen| seen.method).collect()
    }

    pub(super) fn count(&self, method: &str) -> usize {
        self.seen().iter().filter(|seen| seen.method == method).count()
    }
}

impl HttpClient for Site {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        // As over a network, others go on before an answer comes.
        tokio::task::yield_now().await;
        let message: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let header = |name: &str| Some(request.headers().get(name)?.to_str().unwrap().to_owned());
        let seen = Seen {
            at: Instant::now(),
            path: request.uri().path().to_owned(),
            method: message["method"].as_str().unwrap_or(request.method().as_str()).to_owned(),
            session: header("mcp-session-id"),
            last_event_id: header("last-event-id"),
            version: header("mcp-protocol-version"),
            message,
        };
        self.seen.lock().unwrap().push(seen.clone());
        match (self.script)(&seen) {
            Reply::Whole(response) => Ok(response.map(|body| Body::from(body.into_bytes()))),
            Reply::Stream(chunks) => Ok(Response::builder()
                .header("content-type", "text/event-stream")
                .body(Body::new(Chunks(chunks)))
                .unwrap()),
            Reply::Fail(error) => Err(error),
            Reply::Hang => std::future::pending().await,
        }
    }
}

struct Chunks(mpsc::UnboundedReceiver<Result<Bytes, BoxError>>);

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

/// Answers with a status and a body of a type.
pub(super) fn typed(status: u16, content_type: &str, body: &str) -> Reply {
    let response = Response::builder().status(status).header("content-type", content_type);
    Reply::Whole(response.body(body.to_owned()).unwrap())
}

/// Answers with a status and text.
pub(super) fn text(status: u16, body: &str) -> Reply {
    typed(status, "text/plain", body)
}

/// Answers a message with a result.
pub(super) fn result(seen: &Seen, result: &Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": seen.message["id"], "result": result});
    typed(200, "application/json", &body.to_string())
}

/// Answers a message with a JSON-RPC error.
pub(super) fn error(status: u16, id: &Value, code: i64, message: &str) -> Reply {
    let error = json!({"code": code, "message": message});
    let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
    typed(status, "application/json", &body.to_string())
}

/// Accepts `initialize` and mints a session.
pub(super) fn begin_session(seen: &Seen, session: &str) -> Reply {
    match result(seen, &initialization()) {
        Reply::Whole(mut response) => {
            response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
            Reply::Whole(response)
        }
        other => other,
    }
}

pub(super) fn initialization() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
           "serverInfo": {"name": "site", "version": "1"}})
}

pub(super) fn discovery() -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
           "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "site", "version": "1"}}})
}

/// A stream that has come and ended, or broken off.
pub(super) fn stream(texts: &[&str], breaks: bool) -> Reply {
    let (sender, chunks) = mpsc::unbounded_channel();
    for text in texts {
        sender.send(Ok(Bytes::copy_from_slice(text.as_bytes()))).unwrap();
    }
    if breaks {
        let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        sender.send(Err(reset.into())).unwrap();
    }
    Reply::Stream(chunks)
}

//! A server with tools for every behaviour, and what a test asks of its endpoint.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use diglot::http::{Body, HttpService};
use diglot::types::LoggingLevel;
use diglot::{Context, Server, Tool, ToolError};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tower_service::Service;

use crate::recording;

/// What tests see of the handlers, and tell them.
#[derive(Clone)]
pub(crate) struct Desk {
    /// Lets one waiting handler go on.
    pub(crate) gate: Arc<Notify>,
    /// How many handlers wait.
    pub(crate) waiting: watch::Sender<usize>,
    /// How many waiting handlers were dropped before their end.
    pub(crate) dropped: watch::Sender<usize>,
    pub(crate) ended: Arc<AtomicUsize>,
    pub(crate) server: Server,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Pair {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Confirm {
    yes: bool,
}

async fn add(Pair { a, b }: Pair, _: Context) -> Result<i64, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::new("too large"))
}

async fn steps(cx: Context) -> &'static str {
    for step in [1.0, 2.0] {
        cx.progress(step, Some(2.0), None);
        tokio::task::yield_now().await;
    }
    "done"
}

async fn chat(cx: Context) -> &'static str {
    cx.log(LoggingLevel::Warning, None, "first");
    "said"
}

async fn ask(cx: Context) -> Result<String, ToolError> {
    let Confirm { yes } = cx.elicit("confirm", "Really?").await?;
    Ok(if yes { "confirmed" } else { "declined" }.to_owned())
}

async fn broken(cx: Context) -> &'static str {
    assert!(cx.parts::<u8>().is_some(), "this tool is broken");
    "never"
}

async fn caller(cx: Context) -> String {
    let agent = cx.http_parts().and_then(|parts| parts.headers.get("user-agent"));
    let agent = agent.map(|agent| agent.to_str().unwrap().to_owned()).unwrap_or_default();
    format!("{agent} as {}", cx.principal().unwrap_or("nobody"))
}

/// Notes that a handler was dropped before its end.
struct Watch(Option<watch::Sender<usize>>);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(dropped) = self.0.take() {
            dropped.send_modify(|dropped| *dropped += 1);
        }
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self {
            gate: Arc::default(),
            waiting: watch::Sender::default(),
            dropped: watch::Sender::default(),
            ended: Arc::default(),
            server: Server::new("desk", "1.0.0"),
        };
        let region = json!({
            "type": "object",
            "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        });
        let region = serde_json::value::to_raw_value(&region).unwrap();
        let server = desk
            .server
            .clone()
            .tool(Tool::new("add", add).description("Adds."))
            .tool(Tool::new("steps", steps))
            .tool(Tool::new("chat", chat))
            .tool(Tool::new("ask", ask))
            .tool(Tool::new("broken", broken))
            .tool(Tool::new("caller", caller))
            .tool(Tool::raw("region", region, async |arguments, _: Context| arguments.get().to_owned()))
            .tool(desk.waiting_tool("wait", false))
            .tool(desk.waiting_tool("tell_and_wait", true));
        let greeting = diglot::server::Resource::new(
            "test://greeting",
            "greeting",
            async |_: String, _: Context| "hello",
        );
        drop(server.resource(greeting));
        desk
    }

    fn waiting_tool(&self, name: &str, tells: bool) -> Tool {
        let desk = self.clone();
        Tool::new(name, move |cx: Context| {
            let desk = desk.clone();
            async move {
                let mut watch = Watch(Some(desk.dropped.clone()));
                if tells {
                    cx.progress(1.0, None, None);
                }
                desk.waiting.send_modify(|waiting| *waiting += 1);
                desk.gate.notified().await;
                watch.0 = None;
                desk.ended.fetch_add(1, Ordering::SeqCst);
                if tells {
                    cx.progress(2.0, None, None);
                }
                "waited"
            }
        })
    }

    pub(crate) fn service(&self) -> HttpService {
        self.server.clone().into_http_service()
    }

    /// Waits until so many handlers wait or have waited.
    pub(crate) async fn is_waiting(&self, handlers: usize) {
        self.waiting.subscribe().wait_for(|waiting| *waiting >= handlers).await.unwrap();
    }

    /// Waits until so many handlers were dropped before their end.
    pub(crate) async fn has_dropped(&self, handlers: usize) {
        self.dropped.subscribe().wait_for(|dropped| *dropped >= handlers).await.unwrap();
    }
}

/// A response that was read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: http::response::Parts,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text);
        serde_json::from_str(&self.text).unwrap()
    }

    /// Returns the code of the error.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }

    /// Returns the messages of the stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{}", self.text);
        messages(&self.text)
    }
}

/// Returns the messages in the text of a stream.
pub(crate) fn messages(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// Names what a message is.
pub(crate) fn shown(message: &Value) -> String {
    match message["method"].as_str() {
        Some(method) => method.to_owned(),
        None if message["error"].is_object() => format!("error {}", message["error"]["code"]),
        None => format!("result {}", message["id"]),
    }
}

pub(crate) fn all_shown(messages: &[Value]) -> Vec<String> {
    messages.iter().map(shown).collect()
}

/// Sends a request and returns the response, whose body is still to be read.
pub(crate) async fn send(service: &HttpService, request: Request<Full<Bytes>>) -> Response<Body> {
    let talk = recording::heard(&request).await;
    recording::tapped(talk, service.clone().call(request).await.unwrap())
}

/// Sends a request and reads the response to its end.
pub(crate) async fn ask_for(service: &HttpService, request: Request<Full<Bytes>>) -> Answer {
    let (head, mut body) = send(service, request).await.into_parts();
    let mut text = Vec::new();
    while let Some(chunk) = body.chunk().await {
        text.extend_from_slice(&chunk.unwrap());
    }
    Answer { status: head.status.as_u16(), head, text: String::from_utf8(text).unwrap() }
}

/// Reads the next piece of a stream.
pub(crate) async fn next(body: &mut Body) -> String {
    match body.chunk().await {
        Some(chunk) => String::from_utf8(chunk.unwrap().to_vec()).unwrap(),
        None => String::new(),
    }
}

/// Makes a POST of a message with headers; a header with an empty value is left out.
pub(crate) fn post(message: &Value, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    raw_post(message.to_string(), headers)
}

/// Makes a POST of any text.
pub(crate) fn raw_post(text: impl Into<Bytes>, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let usual = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let mut request = Request::post("/mcp");
    for (name, value) in usual {
        if !headers.iter().any(|(own, _)| *own == name) {
            request = request.header(name, value);
        }
    }
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request = request.header(*name, *value);
    }
    request.body(Full::new(text.into())).unwrap()
}

/// Makes a request without a body.
pub(crate) fn bare(method: &str, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::default()).unwrap()
}

/// Makes a modern request of a method.
pub(crate) fn modern(id: i64, method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    message
}

/// Makes a modern request with the headers that mirror it, and more headers.
pub(crate) fn modern_post(message: &Value, more: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let method = message["method"].as_str().unwrap();
    let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str()).unwrap_or_default();
    let mut headers =
        vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), ("mcp-name", name)];
    headers.retain(|(own, _)| !more.iter().any(|(name, _)| name == own));
    headers.extend(more);
    post(message, &headers)
}

/// Makes a modern call of a tool.
pub(crate) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    modern(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// Makes a legacy request.
pub(crate) fn legacy(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Makes a legacy call of a tool without arguments, which wants progress.
pub(crate) fn legacy_call(id: i64, tool: &str) -> Value {
    legacy(id, "tools/call", json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": id } }))
}

/// Makes `initialize` at a revision.
pub(crate) fn initialize(revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "test", "version": "1" },
    });
    legacy(0, "initialize", params)
}

/// Opens a session at a revision and returns its id.
pub(crate) async fn open(service: &HttpService, revision: &str) -> String {
    let answer = ask_for(service, post(&initialize(revision), &[])).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json()["result"]["protocolVersion"], revision);
    answer.header("mcp-session-id").unwrap().to_owned()
}

//! The whole way of bytes through a server, from a head and a body to an answer, as one function.
//!
//! The fuzz target `serve` runs the same file, so that it uses nothing of the other tests.

use bytes::Bytes;
use diglot::http::HttpService;
use diglot::server::{Eras, Json, Prompt, PromptArguments, Resource, Server};
use diglot::{Context, Tool, ToolError};
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use serde_json::Value;
use tower_service::Service;

/// The longest that an answer may be, in bytes: bodies are echoed at most in excerpts and in what tools return.
const LONGEST: usize = 1024 * 1024;

/// The headers that a server reads, by whose places in the list a head is spelt.
const HEADERS: &[&str] = &[
    "host",
    "origin",
    "accept",
    "content-type",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
    "last-event-id",
    "mcp-param-region",
];

async fn echo(arguments: Box<serde_json::value::RawValue>, cx: Context) -> Json<Value> {
    cx.progress(1.0, None, None);
    cx.log(diglot::types::LoggingLevel::Error, None, "said");
    Json(serde_json::from_str(arguments.get()).unwrap_or_default())
}

async fn ask(cx: Context) -> Result<String, ToolError> {
    Ok(cx.roots("roots").await?.len().to_string())
}

/// A server with something of each kind, for the eras of the choice.
pub(crate) fn server(choice: u8) -> Server {
    let eras = match choice % 3 {
        0 => Eras::Both,
        1 => Eras::Modern,
        _ => Eras::Legacy,
    };
    let schema = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    let schema = serde_json::value::RawValue::from_string(schema.to_owned()).expect("it is JSON");
    Server::new("whole", "1")
        .eras(eras)
        .tool(Tool::raw("echo", schema, echo))
        .tool(Tool::new("ask", ask))
        .resource(Resource::text("memo://1", "memo", "remember"))
        .prompt(Prompt::new("greet", async |_: PromptArguments, _: Context| "hello").argument("who", "Whom"))
}

/// Makes a request of a method, of headers by their places, and of a body; nothing where HTTP has no such request.
pub(crate) fn request(method: u8, head: &[(u8, &[u8])], body: &[u8]) -> Option<Request<Full<Bytes>>> {
    let method = match method % 8 {
        0 => Method::GET,
        1 => Method::DELETE,
        2 => Method::PUT,
        _ => Method::POST,
    };
    let mut request = Request::builder().method(method).uri("/mcp");
    for (place, value) in head {
        let name = HEADERS.get(usize::from(*place) % HEADERS.len())?;
        let value = HeaderValue::from_bytes(value).ok()?;
        request = request.header(HeaderName::from_static(name), value);
    }
    request.body(Full::new(Bytes::copy_from_slice(body))).ok()
}

/// Answers a request and checks what holds of every answer: it comes, it has a status, and its JSON is JSON.
///
/// A stream is read as far as it comes by itself.
pub(crate) async fn over_http(mut service: HttpService, request: Request<Full<Bytes>>) -> u16 {
    let Ok(response) = service.call(request).await;
    let status = response.status().as_u16();
    assert!((200..600).contains(&status), "a status: {status}");
    let kind = response.headers().get("content-type").cloned();
    let mut body = response.into_body();
    let mut text = Vec::new();
    loop {
        tokio::select! {
            biased;
            chunk = body.chunk() => match chunk {
                Some(chunk) => text.extend_from_slice(&chunk.expect("no body breaks off by itself")),
                None => break,
            },
            // What listens goes on for ever.
            () = tokio::task::yield_now() => break,
        }
        assert!(text.len() < LONGEST, "an answer is bounded");
    }
    if kind.is_some_and(|kind| kind == "application/json") {
        let answer: Value = serde_json::from_slice(&text).expect("what is called JSON is JSON");
        let is_answer = |answer: &Value| {
            answer["jsonrpc"] == "2.0" && (answer["result"].is_object() != answer["error"].is_object())
        };
        let is_good = answer.as_array().map_or_else(|| is_answer(&answer), |all| all.iter().all(is_answer));
        assert!(is_good, "an answer of the protocol: {answer}");
    }
    status
}

/// Serves bytes as the input of a pipe, and checks that every line of the output is an answer or a notification.
pub(crate) async fn over_a_pipe(server: Server, input: &[u8]) {
    let output = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let writer = Written(output.clone());
    let reader = std::io::Cursor::new(input.to_vec());
    let server = server.drain_time(std::time::Duration::ZERO);
    server.serve_pipe(reader, writer).await.expect("bytes can always be read");
    let output = std::mem::take(&mut *output.lock().expect("nobody panicked"));
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).expect("a line is JSON");
        let all = message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice);
        assert!(all.iter().all(|message| message["jsonrpc"] == "2.0"), "{message}");
    }
}

/// Keeps what is written.
struct Written(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl tokio::io::AsyncWrite for Written {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<std::io::Result<usize>> {
        self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
        std::task::Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }
}

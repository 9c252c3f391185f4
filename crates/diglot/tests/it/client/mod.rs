//! The client over scripted servers in memory: what it sends, and what it makes of what comes back.

mod caching;
mod calls;
mod connecting;
mod inputs;
mod listening;
mod listening_http;
mod notices;
mod options;
mod output;
mod remembering;
mod tracing_context;

use std::sync::{Arc, Mutex};

use diglot::transport::MemoryTransport;
use diglot::{Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, WriteHalf};

/// What a scripted server does with one message.
enum Reply {
    /// Writes these lines; `$ID` becomes the message's id.
    Lines(Vec<String>),
    /// Says nothing.
    Silence,
    /// Writes these lines, then closes the stream.
    LastWords(Vec<String>),
}

type Script = dyn Fn(&str, &Value) -> Reply + Send + Sync;

/// A scripted server: a function of the method, and a record of all that it was sent.
#[derive(Clone)]
struct Scripted {
    script: Arc<Script>,
    saw: Arc<Mutex<Vec<Value>>>,
}

impl Scripted {
    fn new(script: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), saw: Arc::default() }
    }

    /// A server of the modern era that knows a few tools.
    fn modern() -> Self {
        Self::new(|method, message| match method {
            "server/discover" => Reply::result(&discovery()),
            _ => tools(method, message),
        })
    }

    /// A server of the legacy era that knows the same tools.
    fn legacy() -> Self {
        Self::new(|method, message| match method {
            "server/discover" => Reply::error(-32601, "Method not found"),
            "initialize" => Reply::result(&initialization()),
            _ => tools(method, message),
        })
    }

    fn transport(&self) -> MemoryTransport {
        let server = self.clone();
        MemoryTransport::new(move || {
            let (client, end) = tokio::io::duplex(64 * 1024);
            tokio::spawn(server.clone().run(end));
            client
        })
    }

    async fn connect(&self, builder: ClientBuilder) -> Result<Client, diglot::Error> {
        builder.connect(self.transport()).await
    }

    async fn run(self, end: DuplexStream) {
        let (reader, mut writer) = tokio::io::split(end);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).expect("a client writes JSON");
            self.saw.lock().unwrap().push(message.clone());
            self.record(&message);
            let reply = (self.script)(message["method"].as_str().unwrap_or_default(), &message);
            match reply {
                Reply::Lines(lines) => write(&mut writer, lines, &message).await,
                Reply::Silence => {}
                Reply::LastWords(lines) => {
                    write(&mut writer, lines, &message).await;
                    return;
                }
            }
        }
    }

    /// Records a request or notification; an answer of the client is recorded where both ends are ours.
    fn record(&self, message: &Value) {
        let is_modern = message["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some();
        let is_legacy = !self.sent("initialize").is_empty();
        let revision = match (is_modern, is_legacy) {
            (false, true) => "2025-11-25",
            _ => "2026-07-28",
        };
        if message.get("method").is_some() {
            crate::recording::record(revision, "client", None, message);
        }
    }

    /// The methods that the server was sent, in their order.
    fn methods(&self) -> Vec<String> {
        let saw = self.saw.lock().unwrap();
        saw.iter().map(|message| message["method"].as_str().unwrap_or("(response)").to_owned()).collect()
    }

    /// The messages with a method that the server was sent.
    fn sent(&self, method: &str) -> Vec<Value> {
        let saw = self.saw.lock().unwrap();
        saw.iter().filter(|message| message["method"] == method).cloned().collect()
    }
}

async fn write(writer: &mut WriteHalf<DuplexStream>, lines: Vec<String>, message: &Value) {
    for line in lines {
        let line = line.replace("$ID", &message["id"].to_string());
        if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

impl Reply {
    fn line(text: impl Into<String>) -> Self {
        Self::Lines(vec![text.into()])
    }

    fn result(result: &Value) -> Self {
        Self::line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
    }

    fn error(code: i64, message: &str) -> Self {
        Self::line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"{message}"}}}}"#))
    }
}

fn builder() -> ClientBuilder {
    Client::builder("tests", "1.2.3")
}

fn discovery() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}},
        "instructions": "be kind", "ttlMs": 0, "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "9"}}
    })
}

fn initialization() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
        "instructions": "be kind", "serverInfo": {"name": "scripted", "version": "9"}
    })
}

fn tools(method: &str, message: &Value) -> Reply {
    let params = &message["params"];
    match (method, params["name"].as_str()) {
        ("tools/list", _) => {
            Reply::result(&json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}))
        }
        ("tools/call", Some("echo")) => {
            let text = params["arguments"].to_string();
            Reply::result(&json!({"content": [{"type": "text", "text": text}]}))
        }
        ("tools/call", Some("slow")) => {
            let token = &params["_meta"]["progressToken"];
            let progress = |step| {
                json!({"jsonrpc": "2.0", "method": "notifications/progress",
                       "params": {"progressToken": token, "progress": step, "total": 3}})
                .to_string()
            };
            let last =
                r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"done":true}}}"#;
            Reply::Lines(vec![progress(1), progress(2), progress(3), last.to_owned()])
        }
        ("tools/call", Some("hang")) => Reply::Silence,
        ("tools/call", Some("die")) => Reply::LastWords(Vec::new()),
        _ if message.get("id").is_none() => Reply::Silence,
        _ => Reply::error(-32601, "Method not found"),
    }
}

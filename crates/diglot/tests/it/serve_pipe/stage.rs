//! The server that the tests serve, and a client's end of its pipe, played by hand.

use diglot::server::{Partial, Prompt, PromptArguments, Resource, ResourceTemplate, Server};
use diglot::transport::MemoryTransport;
use diglot::types::LoggingLevel;
use diglot::{Context, Tool, ToolError};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use crate::recording::Talk;

/// What every modern request carries.
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;

/// What every modern result carries.
pub(crate) const SERVER: &str =
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"calculator","version":"1.2.3"}}"#;

#[derive(Deserialize, schemars::JsonSchema)]
pub(crate) struct Pair {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

async fn divide(Pair { a, b }: Pair, _: Context) -> Result<i64, ToolError> {
    a.checked_div(b).ok_or_else(|| ToolError::new("cannot divide by zero"))
}

async fn chatter(cx: Context) -> &'static str {
    cx.progress(1.0, Some(2.0), Some("half"));
    cx.log(LoggingLevel::Debug, None, "details");
    cx.log(LoggingLevel::Warning, Some("chatter"), "careful");
    "done"
}

async fn panics(_: Context) -> &'static str {
    panic!("a handler that fails in the worst way")
}

async fn greet(arguments: PromptArguments, _: Context) -> String {
    format!("Greet {}", arguments.find("name").unwrap_or("nobody"))
}

async fn names(partial: Partial, _: Context) -> Result<Vec<String>, ToolError> {
    let known = ["ada", "alan", "grace"];
    Ok(known.iter().filter(|name| name.starts_with(&partial.value)).map(ToString::to_string).collect())
}

async fn page(_uri: String, cx: Context) -> String {
    format!("page {}", cx.variable("number").unwrap_or_default())
}

/// A server with some of everything.
pub(crate) fn calculator() -> Server {
    Server::new("calculator", "1.2.3")
        .tool(Tool::new("divide", divide))
        .tool(Tool::new("chatter", chatter))
        .tool(Tool::new("panics", panics))
        .resource(Resource::text("memo://1", "memo", "remember"))
        .resource_template(ResourceTemplate::new("page://{number}", "page", page))
        .prompt(Prompt::new("greet", greet).argument("name", "Whom"))
        .complete_prompt("greet", names)
}

/// A transport that serves every connection by a server's own pipe.
pub(crate) fn in_memory(server: Server) -> MemoryTransport {
    MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        client
    })
}

/// A client's end of a pipe, played by a test.
pub(crate) struct Peer {
    stream: BufReader<DuplexStream>,
    talk: Option<Talk>,
    serving: JoinHandle<Result<(), diglot::server::ServeError>>,
}

impl Peer {
    /// Starts a server on a new pipe.
    pub(crate) fn of(server: Server) -> Self {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        let serving = tokio::spawn(server.serve_pipe(reader, writer));
        Self { stream: BufReader::new(client), talk: Some(Talk::default()), serving }
    }

    /// Leaves what the server says out of the recording.
    pub(crate) fn unrecorded(self) -> Self {
        Self { talk: None, ..self }
    }

    /// Sends a line, in which `@meta` stands for what every modern request carries.
    pub(crate) async fn say(&mut self, line: &str) {
        let line = line.replace("@meta", META);
        if let (Some(talk), Ok(message)) = (&mut self.talk, serde_json::from_str(&line)) {
            talk.heard(&message);
        }
        self.stream.write_all(line.as_bytes()).await.unwrap();
        self.stream.write_all(b"\n").await.unwrap();
    }

    /// Reads the next line; null at the end.
    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await.unwrap() {
            0 => Value::Null,
            _ => {
                let message = serde_json::from_str(&line).unwrap();
                self.talk.as_mut().into_iter().for_each(|talk| talk.said(&message));
                message
            }
        }
    }

    /// Sends a request of a tool and returns the answer to it.
    pub(crate) async fn ask(&mut self, line: &str) -> Value {
        self.say(line).await;
        self.hear().await
    }

    /// Opens the legacy session.
    pub(crate) async fn initialize(&mut self, revision: &str, capabilities: &str) {
        let answer = self
            .ask(&format!(
                r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{revision}","clientInfo":{{"name":"t","version":"0"}},"capabilities":{capabilities}}}}}"#
            ))
            .await;
        assert_eq!(answer["result"]["protocolVersion"], revision);
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    /// Ends the server's input, and returns what it still says.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        loop {
            match self.hear().await {
                Value::Null => break,
                message => rest.push(message),
            }
        }
        self.serving.await.unwrap().unwrap();
        rest
    }

    /// Closes both directions at once, and waits for the server.
    pub(crate) async fn hang_up(self) {
        drop(self.stream);
        self.serving.await.unwrap().unwrap();
    }
}

/// Plays a transcript: `> ` sends, `< ` is what must come next, as JSON; after the last line nothing more may come.
///
/// `@meta` stands for what every modern request carries, `@server` for what every modern result does.
pub(crate) async fn play(server: Server, transcript: &str) {
    let mut peer = Peer::of(server);
    for line in transcript.lines().map(str::trim) {
        match line.split_at_checked(2) {
            Some(("> ", line)) => peer.say(line).await,
            Some(("< ", line)) => {
                let line = line.replace("@server", SERVER);
                let expected: Value =
                    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                assert_eq!(peer.hear().await, expected);
            }
            _ => assert!(line.is_empty(), "neither sent nor expected: {line}"),
        }
    }
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

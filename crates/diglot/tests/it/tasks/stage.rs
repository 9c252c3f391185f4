//! A server whose tools run as tasks, and a client's end of its pipe, played by hand.

use std::sync::Arc;
use std::time::Duration;

use diglot::types::TaskSupport;
use diglot::{Context, Era, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::{Notify, watch};

pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// What tests see of the handlers, and tell them.
#[derive(Clone, Default)]
pub(super) struct Desk {
    /// Lets one waiting handler go on.
    pub(super) gate: Arc<Notify>,
    /// How many handlers began.
    pub(super) begun: watch::Sender<usize>,
    /// How many waiting handlers were dropped before their end.
    pub(super) dropped: watch::Sender<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Age {
    age: u8,
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

async fn greet(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("name", "Who are you?").await?;
    Ok(format!("hello {name}"))
}

async fn survey(cx: Context) -> Result<String, ToolError> {
    let (name, age) = tokio::join!(cx.elicit::<Name>("name", "Name?"), cx.elicit::<Age>("age", "Age?"));
    Ok(format!("{} is {}", name?.name, age?.age))
}

async fn fail(_: Context) -> Result<&'static str, ToolError> {
    Err(ToolError::new("it did not work"))
}

async fn refuse(_: Context) -> Result<&'static str, ToolError> {
    Err(ToolError::invalid_params("not like this"))
}

async fn panics(_: Context) -> &'static str {
    panic!("a handler that fails in the worst way")
}

async fn ask_first(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("name", "Who are you?").await?;
    if name == "nobody" {
        return Ok("nothing to do".to_owned());
    }
    assert!(cx.era() == Era::Legacy || cx.task_id().is_none());
    cx.start_task().await?;
    let Age { age } = cx.elicit("age", "How old?").await?;
    Ok(format!("{name} is {age}"))
}

async fn impatient(cx: Context) -> Result<&'static str, ToolError> {
    let question = cx.elicit::<Name>("name", "Who are you?");
    match tokio::time::timeout(Duration::from_secs(10), question).await {
        Ok(answer) => answer.map(|_| "answered"),
        Err(_) => {
            cx.task_message("too late");
            std::future::pending::<()>().await;
            Ok("never")
        }
    }
}

impl Desk {
    /// A server with some of everything.
    pub(super) fn server(&self) -> Server {
        let optional = |tool: Tool| tool.task(TaskSupport::Optional);
        Server::new("tasks", "1.0.0")
            .tool(Tool::new("plain", async |_: Context| "at once"))
            .tool(optional(self.waiting()))
            .tool(optional(Tool::new("greet", greet)))
            .tool(optional(Tool::new("survey", survey)))
            .tool(optional(Tool::new("fail", fail)))
            .tool(optional(Tool::new("refuse", refuse)))
            .tool(optional(Tool::new("panics", panics)))
            .tool(optional(Tool::new("impatient", impatient)))
            .tool(optional(Tool::new("ask_first", ask_first)).starts_task_itself())
            .tool(Tool::new("job", async |_: Context| "done").task(TaskSupport::Required))
    }

    fn waiting(&self) -> Tool {
        let desk = self.clone();
        Tool::new("wait", move |cx: Context| {
            let desk = desk.clone();
            async move {
                let mut watch = Watch(Some(desk.dropped.clone()));
                desk.begun.send_modify(|begun| *begun += 1);
                cx.progress(1.0, Some(2.0), Some("half way"));
                desk.gate.notified().await;
                watch.0 = None;
                "waited"
            }
        })
    }

    /// Waits until so many handlers were dropped before their end.
    pub(super) async fn has_dropped(&self, handlers: usize) {
        self.dropped.subscribe().wait_for(|dropped| *dropped >= handlers).await.unwrap();
    }

    /// Waits until so many handlers began.
    pub(super) async fn has_begun(&self, handlers: usize) {
        self.begun.subscribe().wait_for(|begun| *begun >= handlers).await.unwrap();
    }
}

/// A client's end of a pipe.
pub(super) struct Peer {
    stream: BufReader<DuplexStream>,
    next_id: i64,
    /// Whether its requests say that it understands tasks.
    pub(super) declares: bool,
    /// What came that was no answer.
    pub(super) heard: Vec<Value>,
}

impl Peer {
    /// Starts a server on a new pipe.
    pub(super) fn of(server: &Server) -> Self {
        let (client, end) = tokio::io::duplex(256 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        Self { stream: BufReader::new(client), next_id: 0, declares: true, heard: Vec::new() }
    }

    /// Sends a modern request, and returns its id.
    pub(super) async fn send(&mut self, method: &str, mut params: Value) -> i64 {
        let mut capabilities = json!({ "elicitation": {} });
        if self.declares {
            capabilities["extensions"] = json!({ TASKS: {} });
        }
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.send_bare(method, params).await
    }

    /// Sends a request as it is.
    pub(super) async fn send_bare(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.say(&message).await;
        self.next_id
    }

    pub(super) async fn say(&mut self, message: &Value) {
        self.stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Reads the next message.
    pub(super) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await.unwrap() {
            0 => Value::Null,
            _ => serde_json::from_str(&line).unwrap(),
        }
    }

    /// Reads up to the answer to a request.
    pub(super) async fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.hear().await;
            assert_ne!(message, Value::Null, "the pipe ended");
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// Sends a modern request and returns the answer.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, tool: &str) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": {} })).await
    }

    /// Calls a tool that becomes a task, and returns the id of that.
    pub(super) async fn start(&mut self, tool: &str) -> String {
        let answer = self.call(tool).await;
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        answer["result"]["taskId"].as_str().unwrap().to_owned()
    }

    /// Asks how a task stands.
    pub(super) async fn task(&mut self, id: &str) -> Value {
        self.ask("tasks/get", json!({ "taskId": id })).await
    }

    /// Asks until a task stands so, which has to come without more being done.
    pub(super) async fn until(&mut self, id: &str, status: &str) -> Value {
        for _ in 0..10_000 {
            let answer = self.task(id).await;
            if answer["result"]["status"] == status {
                return answer["result"].clone();
            }
            assert_eq!(answer["error"], Value::Null);
            tokio::task::yield_now().await;
        }
        panic!("the task never was {status}");
    }

    /// Answers questions of a task by the fields of their forms.
    pub(super) async fn respond(&mut self, id: &str, answers: &[(&str, Value)]) -> Value {
        let responses: serde_json::Map<String, Value> = answers
            .iter()
            .map(|(key, content)| ((*key).to_owned(), json!({ "action": "accept", "content": content })))
            .collect();
        self.ask("tasks/update", json!({ "taskId": id, "inputResponses": responses })).await
    }
}

//! What the servers of the program offer, and what its client answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diglot::jsonrpc::RpcError;
use diglot::server::{Json, Partial, Prompt, PromptArguments, Resource, ResourceTemplate, Server};
use diglot::types::{
    Content, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, PromptMessage,
    ReadResourceResult, ResourceContents, Root, SamplingMessage,
};
use diglot::{Client, ClientBuilder, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::{Barrier, Notify};

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Said {
    text: String,
}

/// A structure with a little of everything.
#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(super) struct Weather {
    pub(super) city: String,
    pub(super) degrees: f64,
    pub(super) days: Vec<u8>,
}

impl Weather {
    pub(super) fn sample() -> Self {
        Self { city: "Zürich".to_owned(), degrees: -1.5, days: vec![1, 2, 3] }
    }
}

/// What tells a test what its server does.
#[derive(Default)]
struct Signals {
    cancelled: AtomicBool,
    tick: Notify,
}

/// Tells that the future it belongs to was dropped.
struct Tell(Arc<Signals>);

impl Drop for Tell {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        self.0.tick.notify_one();
    }
}

/// Makes a server that offers what the program uses.
pub(super) fn server() -> Server {
    let server =
        Server::new("behaviours", "1.2.3").instructions("Be kind.").page_size(4).drain_time(Duration::ZERO);
    let server = tools(server);
    let add = add_later(server.clone());
    texts(server.tool(add))
}

fn tools(server: Server) -> Server {
    let raw = RawValue::from_string(r#"{"type":"object"}"#.to_owned()).unwrap();
    let echo = |arguments: Box<RawValue>, _: Context| async move { arguments.get().to_owned() };
    let together = Arc::new(Barrier::new(64));
    let meet = move |_: Context| {
        let together = together.clone();
        async move { together.wait().await.is_leader().to_string() }
    };
    let signals = Arc::new(Signals::default());
    let watched = signals.clone();
    let hang = move |_: Context| {
        let tell = Tell(signals.clone());
        async move {
            let _tell = tell;
            std::future::pending::<String>().await
        }
    };
    let was_cancelled = move |_: Context| {
        let signals = watched.clone();
        async move {
            while !signals.cancelled.load(Ordering::SeqCst) {
                signals.tick.notified().await;
            }
            "cancelled"
        }
    };
    server
        .tool(
            Tool::new("add", |Pair { a, b }: Pair, _: Context| std::future::ready(a + b)).description("Adds"),
        )
        .tool(Tool::new("weather", |_: Context| std::future::ready(Json(Weather::sample()))))
        .tool(Tool::new("shout", |Said { text }: Said, _: Context| std::future::ready(text)))
        .tool(Tool::raw("echo", raw, echo))
        .tool(Tool::new("several", |_: Context| std::future::ready(several())))
        .tool(Tool::new("count", count))
        .tool(Tool::new("meet", meet))
        .tool(Tool::new("hang", hang))
        .tool(Tool::new("was_cancelled", was_cancelled))
        .tool(Tool::new("fail", |_: Context| std::future::ready(Err::<String, _>(ToolError::new("no luck")))))
        .tool(Tool::new("panic", panics))
        .tool(Tool::new("confirm", confirm))
        .tool(Tool::new("sample", sample))
        .tool(Tool::new("roots", roots))
        .tool(Tool::new("both", both))
}

async fn panics(_: Context) -> String {
    // Quietly: what the standard hook prints would be noise in the output of a test that passes.
    std::panic::resume_unwind(Box::new("a handler that panics"))
}

fn several() -> Vec<Content> {
    vec![
        Content::text("words"),
        Content::image("aGVsbG8=", "image/png"),
        Content::resource(ResourceContents::text("demo://embedded", "inside").mime_type("text/plain")),
    ]
}

async fn count(cx: Context) -> &'static str {
    for number in 1..=5_u8 {
        cx.progress(number.into(), Some(5.0), Some("counting"));
        tokio::task::yield_now().await;
    }
    "counted"
}

/// Forms are known since `2025-06-18`; an older client that declares them is asked all the same.
async fn confirm(cx: Context) -> Result<String, ToolError> {
    #[derive(Deserialize, JsonSchema)]
    struct Confirm {
        yes: bool,
    }
    let Confirm { yes } = cx.elicit("sure", "Sure?").await?;
    Ok(format!("confirmed: {yes}"))
}

async fn sample(cx: Context) -> Result<String, ToolError> {
    let question = CreateMessageParams::new([SamplingMessage::user("2+2?")], 10_u32);
    Ok(format!("the model is {}", cx.sample("sum", question).await?.model))
}

async fn roots(cx: Context) -> Result<String, ToolError> {
    Ok(cx.roots("roots").await?.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(" "))
}

async fn both(cx: Context) -> Result<String, ToolError> {
    let question = |text: &str| CreateMessageParams::new([SamplingMessage::user(text)], 10_u32);
    let one = cx.sample("one", question("one?")).await?.model;
    let roots = cx.roots("roots").await?.len();
    let other = cx.sample("other", question("other?")).await?.model;
    Ok(format!("{one} {roots} {other}"))
}

/// A tool that offers another one.
fn add_later(server: Server) -> Tool {
    Tool::new("grow", move |_: Context| {
        let grown = Tool::new("grown", |_: Context| std::future::ready("I am new"));
        std::future::ready(server.add_tool(grown).map(|()| "grown").map_err(ToolError::from))
    })
}

fn texts(server: Server) -> Server {
    let bytes = |uri: String, _: Context| {
        let contents = ResourceContents::blob(uri, "AAEC").mime_type("application/octet-stream");
        std::future::ready(ReadResourceResult::new([contents]))
    };
    let note = |_: String, cx: Context| {
        std::future::ready(format!("a note on {}", cx.variable("topic").unwrap_or_default()))
    };
    let greet = |arguments: PromptArguments, _: Context| {
        std::future::ready(format!("Greet {}.", arguments.find("name").unwrap_or_default()))
    };
    let talk = |_: PromptArguments, _: Context| {
        std::future::ready(vec![PromptMessage::user("Hello"), PromptMessage::assistant("Hello yourself")])
    };
    let ask = |_: PromptArguments, cx: Context| async move {
        let roots = cx.roots("roots").await?;
        Ok::<_, ToolError>(format!("There are {} roots.", roots.len()))
    };
    let begins = |words: &'static [&'static str]| {
        move |partial: Partial, _: Context| {
            let found = words.iter().filter(|word| word.starts_with(&partial.value));
            std::future::ready(Ok(found.map(|word| (*word).to_owned()).collect()))
        }
    };
    server
        .resource(Resource::text("demo://text", "text", "some text"))
        .resource(Resource::new("demo://bytes", "bytes", bytes))
        .resource_template(ResourceTemplate::new("demo://notes/{topic}", "notes", note))
        .complete_template("demo://notes/{topic}", begins(&["moon", "mouse", "sun"]))
        .prompt(Prompt::new("greet", greet).description("Greets").argument("name", "Who is greeted"))
        .prompt(Prompt::new("talk", talk))
        .prompt(Prompt::new("ask", ask))
        .complete_prompt("greet", begins(&["Ada", "Alan", "Grace"]))
}

/// Makes the client of the program, which answers whatever it is asked.
pub(super) fn builder() -> ClientBuilder {
    Client::builder("behaviours", "1")
        .on_elicitation(elicited)
        .on_sampling(sampled)
        .on_roots(|| async { vec![Root::new("file:///home"), Root::new("file:///tmp")] })
}

async fn elicited(params: ElicitParams) -> ElicitResult {
    match params {
        ElicitParams::Form(_) => {
            ElicitResult::accept(RawValue::from_string(r#"{"yes":true}"#.to_owned()).unwrap())
        }
        _ => ElicitResult::decline(),
    }
}

async fn sampled(params: CreateMessageParams) -> Result<CreateMessageResult, RpcError> {
    let words = format!("{:?}", params.messages);
    let model = if words.contains("other?") { "second" } else { "first" };
    let result = json!({
        "role": "assistant", "content": {"type": "text", "text": "4"}, "model": model, "stopReason": "endTurn"
    });
    let raw = serde_json::value::to_raw_value(&result).unwrap();
    Ok(CreateMessageResult::read(&raw).unwrap())
}

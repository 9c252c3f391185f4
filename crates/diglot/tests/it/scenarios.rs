//! What the official suite asks of a server over Streamable HTTP, to be asked over the wires and at the revisions that it
//! does not know: 2024-11-05, pipes, and HTTP+SSE.
//!
//! Every message that is heard is recorded, so that `cargo xtask schema` holds it against the schema of its revision.

use diglot::server::{Partial, Prompt, PromptArguments, Resource, ResourceTemplate};
use diglot::types::{
    Content, CreateMessageParams, LoggingLevel, PromptMessage, ResourceContents, SamplingMessage,
};
use diglot::{Context, Revision, Server, Tool, ToolError};
use serde_json::{Value, json};

/// A client's end of a connection.
pub(crate) trait Link {
    /// Sends a message.
    async fn say(&mut self, message: Value);

    /// Waits for the next message of the server.
    async fn hear(&mut self) -> Value;
}

/// One thing that is asked, and what has to come of it.
struct Scenario {
    method: &'static str,
    params: fn() -> Value,
    /// Judges the answer, and what came before it.
    is_well: fn(&Value, &[Value]) -> bool,
}

const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// Offers one of everything that a scenario asks for.
pub(crate) fn server() -> Server {
    let embedded =
        || Content::resource(ResourceContents::text("test://embedded", "held").mime_type("text/plain"));
    let image = || Content::image(PIXEL, "image/png");
    Server::new("scenarios", "1.0.0")
        .tool(Tool::new("text", |_: Context| async { "plain" }).description("Returns text"))
        .tool(Tool::new("image", move |_: Context| async move { image() }))
        .tool(Tool::new("audio", |_: Context| async { Content::audio("UklGRg==", "audio/wav") }))
        .tool(Tool::new("embedded", move |_: Context| async move { embedded() }))
        .tool(Tool::new("mixed", move |_: Context| async move { vec![Content::text("a"), image(), embedded()] }))
        .tool(Tool::new("fail", |_: Context| async { Err::<(), _>(ToolError::new("on purpose")) }))
        .tool(Tool::new("log", |cx: Context| async move {
            cx.log(LoggingLevel::Info, Some("part"), "first");
            cx.log(LoggingLevel::Info, None, json!({ "second": 2 }));
        }))
        .tool(Tool::new("progress", |cx: Context| async move {
            for percent in [0.0, 50.0, 100.0] {
                cx.progress(percent, Some(100.0), Some("on the way"));
            }
        }))
        .tool(Tool::new("sample", |cx: Context| async move {
            let params = CreateMessageParams::new([SamplingMessage::user("Say hello.")], 10_u64);
            let answer = cx.sample("model", params).await?;
            Ok::<_, ToolError>(answer.content.iter().filter_map(|piece| piece.as_text()).collect::<String>())
        }))
        .tool(Tool::new("roots", |cx: Context| async move {
            Ok::<_, ToolError>(cx.roots("roots").await?.len().to_string())
        }))
        .resource(Resource::text("test://text", "text", "held").description("A text").mime_type("text/plain"))
        .resource(Resource::new("test://bytes", "bytes", |uri: String, _: Context| async {
            ResourceContents::blob(uri, PIXEL).mime_type("image/png")
        }))
        .resource_template(ResourceTemplate::new("test://{id}/data", "data", |_: String, cx: Context| async move {
            format!("data of {}", cx.variable("id").unwrap_or_default())
        }))
        .prompt(
            Prompt::new("greet", |arguments: PromptArguments, _: Context| async move {
                format!("Greet {}", arguments.find("name").unwrap_or_default())
            })
            .description("Greets")
            .argument("name", "Whom"),
        )
        .prompt(Prompt::new("show", move |_: PromptArguments, _: Context| async move {
            vec![PromptMessage::user(image()), PromptMessage::user(embedded())]
        }))
        .complete_prompt("greet", |partial: Partial, _: Context| async move {
            let known = ["ada", "alan"].into_iter().filter(|name| name.starts_with(&partial.value));
            Ok::<_, ToolError>(known.map(str::to_owned).collect::<Vec<_>>())
        })
}

fn call(tool: &str) -> Value {
    json!({ "name": tool, "arguments": {} })
}

fn first(answer: &Value) -> &Value {
    &answer["result"]["content"][0]
}

fn names(answer: &Value, list: &str) -> Vec<String> {
    let items = answer["result"][list].as_array().into_iter().flatten();
    items.filter_map(|item| item["name"].as_str().map(str::to_owned)).collect()
}

fn of<'a>(before: &'a [Value], method: &str) -> Vec<&'a Value> {
    before.iter().filter(|message| message["method"] == method).collect()
}

macro_rules! scenarios {
    ($($method:literal $params:expr, $is_well:expr;)+) => {
        &[$(Scenario { method: $method, params: || $params, is_well: $is_well }),+]
    };
}

#[rustfmt::skip]
const SCENARIOS: &[Scenario] = scenarios! {
    "ping" json!({}), |answer, _| answer["result"] == json!({});
    "logging/setLevel" json!({ "level": "debug" }), |answer, _| answer["result"] == json!({});
    "tools/list" json!({}), |answer, _| names(answer, "tools").len() == 10;
    "resources/list" json!({}), |answer, _| names(answer, "resources") == ["text", "bytes"];
    "resources/templates/list" json!({}), |answer, _| names(answer, "resourceTemplates") == ["data"];
    "prompts/list" json!({}), |answer, _| names(answer, "prompts") == ["greet", "show"];
    "tools/call" call("text"), |answer, _| *first(answer) == json!({ "type": "text", "text": "plain" });
    "tools/call" call("image"), |answer, _| first(answer)["mimeType"] == "image/png";
    "tools/call" call("audio"), |answer, _| matches!(first(answer)["type"].as_str(), Some("audio" | "text"));
    "tools/call" call("embedded"), |answer, _| first(answer)["resource"]["text"] == "held";
    "tools/call" call("mixed"), |answer, _| answer["result"]["content"].as_array().is_some_and(|all| all.len() == 3);
    "tools/call" call("fail"), |answer, _| answer["result"]["isError"] == true;
    "tools/call" call("log"), |_, before| of(before, "notifications/message").len() == 2;
    "tools/call" json!({ "name": "progress", "arguments": {}, "_meta": { "progressToken": "p" } }), |_, before| {
        let told = of(before, "notifications/progress");
        told.iter().map(|told| told["params"]["progress"].as_f64()).eq([Some(0.0), Some(50.0), Some(100.0)])
            && told.iter().all(|told| told["params"]["progressToken"] == "p")
    };
    "tools/call" call("sample"), |answer, before| {
        first(answer)["text"] == "hello" && of(before, "sampling/createMessage").len() == 1
    };
    "tools/call" call("roots"), |answer, before| first(answer)["text"] == "1" && of(before, "roots/list").len() == 1;
    "tools/call" call("none"), |answer, _| answer["error"]["code"] == -32602;
    "resources/read" json!({ "uri": "test://text" }), |answer, _| answer["result"]["contents"][0]["text"] == "held";
    "resources/read" json!({ "uri": "test://bytes" }), |answer, _| answer["result"]["contents"][0]["blob"] == PIXEL;
    "resources/read" json!({ "uri": "test://7/data" }), |answer, _| answer["result"]["contents"][0]["text"] == "data of 7";
    "resources/read" json!({ "uri": "test://none" }), |answer, _| answer["error"]["code"] == -32002;
    "resources/subscribe" json!({ "uri": "test://text" }), |answer, _| answer["result"] == json!({});
    "resources/unsubscribe" json!({ "uri": "test://text" }), |answer, _| answer["result"] == json!({});
    "prompts/get" json!({ "name": "greet", "arguments": { "name": "Ada" } }), |answer, _| {
        answer["result"]["messages"][0]["content"]["text"] == "Greet Ada"
    };
    "prompts/get" json!({ "name": "show" }), |answer, _| {
        let kinds = ["image", "resource"].map(Value::from);
        answer["result"]["messages"].as_array().into_iter().flatten().map(|message| &message["content"]["type"]).eq(&kinds)
    };
    "prompts/get" json!({ "name": "none" }), |answer, _| answer["error"]["code"] == -32602;
    "completion/complete" json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": { "name": "name", "value": "a" } }),
        |answer, _| answer["result"]["completion"]["values"] == json!(["ada", "alan"]);
    "server/unknown" json!({}), |answer, _| answer["error"]["code"] == -32601;
};

/// Opens a session at a revision, and plays every scenario in it.
pub(crate) async fn play(link: &mut impl Link, revision: Revision, place: &str) {
    let params = json!({
        "protocolVersion": revision.as_str(),
        "clientInfo": { "name": "t", "version": "0" },
        "capabilities": { "sampling": {}, "roots": {} },
    });
    let (answer, _) = ask(link, 0, "initialize", params).await;
    assert_eq!(answer["result"]["protocolVersion"], revision.as_str(), "{place}");
    assert!(answer["result"]["serverInfo"]["name"].is_string(), "{place}");
    link.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        let params = (scenario.params)();
        let (answer, before) = ask(link, at + 1, scenario.method, params.clone()).await;
        let is_well = (scenario.is_well)(&answer, &before);
        assert!(is_well, "{place} at {revision}: {} {params}\n{answer}\n{before:?}", scenario.method);
    }
}

/// Sends a request, and answers what the server asks meanwhile; returns the answer and what came before it.
async fn ask(link: &mut impl Link, id: usize, method: &str, params: Value) -> (Value, Vec<Value>) {
    link.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    let mut before = Vec::new();
    loop {
        let message = link.hear().await;
        let result = match message["method"].as_str() {
            None if message["id"] == id => return (message, before),
            Some("sampling/createMessage") => {
                json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "hello" } })
            }
            Some("roots/list") => json!({ "roots": [{ "uri": "file:///home" }] }),
            _ => {
                before.push(message);
                continue;
            }
        };
        link.say(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).await;
        before.push(message);
    }
}

/// The revisions that have a session.
pub(crate) const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

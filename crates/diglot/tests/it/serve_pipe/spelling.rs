//! Everything that a server can say, said at every revision; the recording of it is held against the official schemas.

use diglot::server::{CacheHint, Json, Partial, Prompt, PromptArguments, Resource, ResourceTemplate, Server};
use diglot::types::{
    Annotations, Content, CreateMessageParams, ElicitUrlParams, GetPromptResult, Icon, Implementation,
    LoggingLevel, PromptArgument, PromptMessage, ReadResourceResult, ResourceContents, Role, SamplingMessage,
    ToolAnnotations, ToolResult,
};
use diglot::{Context, Revision, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::stage::Peer;

const PIXEL: &str = "iVBORw0KGgo=";

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn icons() -> [Icon; 1] {
    [Icon::new("https://example.com/i.png").mime_type("image/png").sizes(["48x48".into()]).theme("dark")]
}

fn annotations() -> Annotations {
    Annotations::new().audience([Role::User]).priority(1).last_modified("2026-07-28T00:00:00Z")
}

async fn all_content(_: Context) -> ToolResult {
    let text = diglot::types::TextContent::new("hello").annotations(annotations());
    ToolResult::new([
        text.into(),
        Content::image(PIXEL, "image/png"),
        Content::audio("YQ==", "audio/wav"),
        Content::resource_link("memo://1", "memo"),
        Content::resource(ResourceContents::text("memo://1", "a").mime_type("text/plain")),
        Content::resource(ResourceContents::blob("memo://2", "YQ==")),
    ])
    .meta(raw(&json!({ "a": 1 })))
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn structured(_: Context) -> Json<Sum> {
    Json(Sum { sum: 3 })
}

async fn number(_: Context) -> Json<i64> {
    Json(3)
}

async fn failing(_: Context) -> Result<String, ToolError> {
    Err(ToolError::new("no"))
}

async fn telling(cx: Context) -> &'static str {
    cx.progress(1.0, Some(2.0), Some("half"));
    cx.progress(2.0, None, None);
    cx.log(LoggingLevel::Emergency, Some("main"), json!({ "a": [1] }));
    cx.log(LoggingLevel::Error, None, "text");
    "told"
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Whether to go on.
    #[serde(default)]
    #[expect(dead_code, reason = "nobody answers")]
    yes: bool,
}

async fn asking(cx: Context) -> Result<&'static str, ToolError> {
    let sampling = CreateMessageParams::new([SamplingMessage::user("hello")], 100u64).temperature(1);
    let (form, url, said, roots) = tokio::join!(
        cx.elicit::<Confirm>("form", "Go on?"),
        cx.elicit_url("url", ElicitUrlParams::new("Look", "https://example.com")),
        cx.sample("model", sampling),
        cx.roots("roots"),
    );
    form?;
    url?;
    said?;
    roots?;
    Ok("asked")
}

async fn prompt(_: PromptArguments, _: Context) -> GetPromptResult {
    let linked = PromptMessage::user(Content::resource_link("memo://1", "memo"));
    let sound = PromptMessage::assistant(Content::audio("YQ==", "audio/wav"));
    GetPromptResult::new([PromptMessage::user("hello"), linked, sound]).description("Says hello")
}

async fn read(uri: String, _: Context) -> ReadResourceResult {
    ReadResourceResult::new([
        ResourceContents::text(uri.clone(), "a").mime_type("text/plain"),
        ResourceContents::blob(uri, "YQ=="),
    ])
}

async fn complete(_: Partial, _: Context) -> Result<Vec<String>, ToolError> {
    Ok((0..300).map(|number| number.to_string()).collect())
}

/// A server with some of everything that can be said.
fn everything() -> Server {
    let identity = Implementation::new("everything", "1").title("Everything").description("All");
    let identity = identity.website_url("https://example.com").icons(icons());
    let argument = PromptArgument::new("who").title("Who").description("Whom").required(true);
    Server::identified(&identity)
        .instructions("Use it.")
        .page_size(4)
        .list_cache(CacheHint::public(std::time::Duration::from_secs(1)))
        .tool(
            Tool::new("all_content", all_content)
                .title("All")
                .description("Everything")
                .annotations(ToolAnnotations::new().title("All").read_only_hint(true))
                .icons(icons())
                .meta(raw(&json!({ "a": 1 }))),
        )
        .tool(Tool::new("structured", structured))
        .tool(Tool::new("number", number))
        .tool(Tool::new("failing", failing))
        .tool(Tool::new("telling", telling))
        .tool(Tool::new("asking", asking))
        .resource(
            Resource::new("memo://1", "memo", read)
                .title("Memo")
                .description("A memo")
                .mime_type("text/plain")
                .annotations(annotations())
                .icons(icons()),
        )
        .resource_template(ResourceTemplate::new("page://{number}", "page", read).icons(icons()))
        .prompt(Prompt::new("greet", prompt).title("Greet").declare(argument).icons(icons()))
        .complete_prompt("greet", complete)
        .complete_template("page://{number}", complete)
}

/// Every request that a client could make, those that fail among them.
fn requests() -> Vec<(&'static str, Value)> {
    let mut requests = vec![
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({ "cursor": "6661696c696e67" })),
        ("tools/list", json!({ "cursor": "nonsense" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "memo://1" })),
        ("resources/read", json!({ "uri": "page://2" })),
        ("resources/read", json!({ "uri": "none://" })),
        ("resources/read", json!({})),
        ("resources/subscribe", json!({ "uri": "memo://1" })),
        ("resources/unsubscribe", json!({ "uri": "memo://1" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "greet", "arguments": { "who": "you" } })),
        ("prompts/get", json!({ "name": "greet" })),
        ("prompts/get", json!({ "name": "none" })),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("logging/setLevel", json!({ "level": "loud" })),
        ("server/discover", json!({})),
        ("x/unknown", json!({})),
        ("tools/call", json!({ "name": "none" })),
        ("tools/call", json!({ "name": "telling", "_meta": { "progressToken": "t" } })),
    ];
    for tool in ["all_content", "structured", "number", "failing", "asking"] {
        requests.push(("tools/call", json!({ "name": tool, "arguments": {} })));
    }
    for (kind, name) in [("ref/prompt", "name"), ("ref/resource", "uri"), ("ref/other", "name")] {
        let known = if kind == "ref/prompt" { "greet" } else { "page://{number}" };
        let reference = json!({ "type": kind, name: known });
        let argument = json!({ "name": "number", "value": "1" });
        requests.push(("completion/complete", json!({ "ref": reference, "argument": argument })));
    }
    requests
}

/// What a client says that can be asked everything that its revision has.
fn capabilities(revision: Revision) -> Value {
    match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 => json!({ "roots": {}, "sampling": {} }),
        Revision::V2025_06_18 => json!({ "roots": {}, "sampling": {}, "elicitation": {} }),
        _ => json!({ "roots": {}, "sampling": {}, "elicitation": { "form": {}, "url": {} } }),
    }
}

/// Asks everything, answers each question with an error, and returns the answers by their ids.
async fn ask_everything(peer: &mut Peer, meta: &Value) -> Vec<Value> {
    let requests = requests();
    for (id, (method, mut params)) in requests.iter().cloned().enumerate() {
        for (key, value) in meta.as_object().into_iter().flatten() {
            params["_meta"][key] = value.clone();
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        peer.say(&message.to_string()).await;
    }
    let mut answers = vec![Value::Null; requests.len()];
    while answers.iter().any(Value::is_null) {
        let message = peer.hear().await;
        assert!(!message.is_null(), "{answers:?}");
        match (message["method"].is_string(), message["id"].as_u64()) {
            (true, Some(id)) => {
                let error = json!({ "code": -1, "message": "the user is away" });
                peer.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()).await;
            }
            (false, Some(id)) => answers[usize::try_from(id).unwrap()] = message,
            _ => {}
        }
    }
    answers
}

#[tokio::test]
async fn everything_is_said_at_every_revision() {
    for &revision in Revision::ALL {
        let mut peer = Peer::of(everything());
        let answers = match revision.era() {
            diglot::Era::Legacy => {
                peer.initialize(revision.as_str(), &capabilities(revision).to_string()).await;
                ask_everything(&mut peer, &json!({})).await
            }
            _ => {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": revision.as_str(),
                    "io.modelcontextprotocol/clientCapabilities": capabilities(revision),
                    "io.modelcontextprotocol/logLevel": "debug",
                });
                ask_everything(&mut peer, &meta).await
            }
        };
        let results = answers.iter().filter(|answer| answer["result"].is_object()).count();
        assert!(results >= 15, "{revision}: {results} of {}", answers.len());
    }
}

#[tokio::test]
async fn content_that_a_revision_does_not_have_is_described_in_words() {
    for (revision, kinds) in [
        ("2024-11-05", ["text", "image", "text", "text", "resource", "resource"]),
        ("2025-03-26", ["text", "image", "audio", "text", "resource", "resource"]),
        ("2025-06-18", ["text", "image", "audio", "resource_link", "resource", "resource"]),
    ] {
        let mut peer = Peer::of(everything());
        peer.initialize(revision, "{}").await;
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"all_content"}}"#;
        let answer = peer.ask(call).await;
        let content = answer["result"]["content"].as_array().unwrap();
        let seen: Vec<&str> = content.iter().map(|piece| piece["type"].as_str().unwrap()).collect();
        assert_eq!(seen, kinds, "{revision}");
        if revision == "2024-11-05" {
            assert_eq!(content[2]["text"], "[audio/wav, which this revision of the protocol cannot carry]");
            assert_eq!(content[3]["text"], "memo: memo://1");
        }
        let get = r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"greet","arguments":{"who":"a"}}}"#;
        let prompt = peer.ask(get).await;
        assert_eq!(prompt["result"]["messages"][1]["content"]["type"], kinds[3], "{revision}");
        assert_eq!(prompt["result"]["messages"][2]["content"]["type"], kinds[2], "{revision}");
    }
}

//! What a handler can return and look up.

use diglot::server::{Json, JsonWithText, Prompt, PromptArguments, Server};
use diglot::{Context, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::stage::{Peer, play};

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn sum(_: Context) -> JsonWithText<Sum> {
    Json(Sum { sum: 3 }).with_text("three")
}

async fn grow(cx: Context) -> String {
    let added = cx.server().add_tool(Tool::new("grown", async |_: Context| "new"));
    added.map_or_else(|error| error.to_string(), |()| "grown".to_owned())
}

async fn what_it_can(cx: Context) -> String {
    let declared = cx.client_capabilities();
    let urls = declared.elicitation.and_then(|elicitation| elicitation.url).is_some();
    format!("sampling: {}, urls: {urls}", declared.sampling.is_some())
}

fn server() -> Server {
    Server::new("calculator", "1.2.3")
        .tool(Tool::new("sum", sum))
        .tool(Tool::new("grow", grow))
        .tool(Tool::new("what_it_can", what_it_can))
        .prompt(Prompt::new("plain", async |_: PromptArguments, _: Context| "Say hello."))
}

#[tokio::test]
async fn a_structured_result_brings_a_text_of_its_own() {
    play(
        server(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum",@meta}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"three"}],"structuredContent":{"sum":3},@server}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn its_schema_is_listed() {
    let mut peer = Peer::of(server());
    let listed = peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{@meta}}"#).await;
    assert_eq!(listed["result"]["tools"][0]["outputSchema"]["required"], json!(["sum"]));
}

#[tokio::test]
async fn a_constant_text_is_a_prompt() {
    play(
        server(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"plain",@meta}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"Say hello."}}],@server}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn a_handler_adds_a_tool_and_subscribers_hear_of_it() {
    let mut peer = Peer::of(server());
    peer.initialize("2025-11-25", "{}").await;
    let mut heard = [
        peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grow"}}"#).await,
        peer.hear().await,
    ];
    heard.sort_by_key(|message| message["method"].is_string());
    assert_eq!(heard[0]["result"]["content"][0]["text"], "grown");
    assert_eq!(heard[1]["method"], "notifications/tools/list_changed");
    let called =
        peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"grown"}}"#).await;
    assert_eq!(called["result"]["content"][0]["text"], "new");
}

#[tokio::test]
async fn the_capabilities_of_the_client_are_typed_in_both_eras() {
    let told = |answer: Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let mut peer = Peer::of(server());
    let modern = peer
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"what_it_can","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{"url":{}}}}}}"#)
        .await;
    assert_eq!(told(modern), "sampling: true, urls: true");
    peer.initialize("2025-06-18", r#"{"sampling":true}"#).await;
    let legacy = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"what_it_can"}}"#;
    assert_eq!(told(peer.ask(legacy).await), "sampling: true, urls: false");
}

//! Questions to the user, in both eras.

use diglot::server::Server;
use diglot::{Context, Tool, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::Peer;

#[derive(Deserialize, schemars::JsonSchema)]
struct Confirm {
    yes: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Target {
    name: String,
}

async fn deploy(cx: Context) -> Result<String, ToolError> {
    let Confirm { yes } = cx.elicit("confirm", "Deploy?").await?;
    Ok(if yes { "deployed" } else { "left alone" }.to_owned())
}

async fn deploy_there(cx: Context) -> Result<String, ToolError> {
    let (confirm, target) = tokio::try_join!(
        cx.elicit::<Confirm>("confirm", "Deploy?"),
        cx.elicit::<Target>("target", "Where?")
    )?;
    Ok(format!("{} {}", confirm.yes, target.name))
}

fn deployer() -> Server {
    Server::new("deployer", "1")
        .tool(Tool::new("deploy", deploy))
        .tool(Tool::new("deploy_there", deploy_there))
}

fn call(id: i64, name: &str, more: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}",{more}@meta}}}}"#)
}

/// What a retry carries: the answers, and the state that came with the questions.
fn retry(answers: &Value, asked: &Value) -> String {
    format!(r#""inputResponses":{answers},"requestState":{},"#, asked["result"]["requestState"])
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[tokio::test]
async fn a_modern_client_asks_again_with_the_answer() {
    let mut peer = Peer::of(deployer());
    let asked = peer.ask(&call(1, "deploy", "")).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let question = &asked["result"]["inputRequests"]["confirm"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Deploy?");
    let more = retry(&json!({ "confirm": accept(json!({ "yes": true })) }), &asked);
    let answer = peer.ask(&call(2, "deploy", &more)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "deployed");
}

#[tokio::test]
async fn questions_at_the_same_time_come_in_one_result() {
    let mut peer = Peer::of(deployer());
    let asked = peer.ask(&call(1, "deploy_there", "")).await;
    assert_eq!(asked["result"]["inputRequests"].as_object().unwrap().len(), 2);
    let more = retry(&json!({ "confirm": accept(json!({ "yes": true })) }), &asked);
    let again = peer.ask(&call(2, "deploy_there", &more)).await;
    assert_eq!(again["result"]["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["target"]);
    // The state remembers the first answer.
    let more = retry(&json!({ "target": accept(json!({ "name": "moon" })) }), &again);
    let answer = peer.ask(&call(3, "deploy_there", &more)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "true moon");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again() {
    let mut peer = Peer::of(deployer());
    let asked = peer.ask(&call(1, "deploy", "")).await;
    let more = retry(&json!({ "confirm": accept(json!({ "yes": "perhaps" })) }), &asked);
    let again = peer.ask(&call(2, "deploy", &more)).await;
    assert_eq!(again["result"]["resultType"], "input_required");
    let more = retry(&json!({ "confirm": accept(json!({ "yes": false })) }), &again);
    let answer = peer.ask(&call(3, "deploy", &more)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "left alone");
}

#[tokio::test]
async fn a_state_that_was_tampered_with_is_refused() {
    let mut peer = Peer::of(deployer());
    let asked = peer.ask(&call(1, "deploy", "")).await;
    let state = asked["result"]["requestState"].as_str().unwrap();
    let turned: String = state.chars().rev().collect();
    for (name, state) in [("deploy", turned.as_str()), ("deploy_there", state)] {
        let more = format!(r#""requestState":"{state}","#);
        let refused = peer.ask(&call(2, name, &more)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_what_is_missing() {
    let mut peer = Peer::of(deployer());
    let refused = peer
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#)
        .await;
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({ "elicitation": {} }));
}

fn legacy_call(id: i64, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

/// Answers the server's question by its message.
async fn answer(peer: &mut Peer, question: &Value, content: Value) {
    assert_eq!(question["method"], "elicitation/create");
    let result = accept(content);
    peer.say(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, question["id"])).await;
}

#[tokio::test]
async fn a_legacy_client_is_asked_in_place() {
    let mut peer = Peer::of(deployer());
    peer.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let question = peer.ask(&legacy_call(1, "deploy")).await;
    // The pipe serves others meanwhile.
    let other = peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    assert_eq!(other["id"], 2);
    answer(&mut peer, &question, json!({ "yes": true })).await;
    assert_eq!(peer.hear().await["result"]["content"][0]["text"], "deployed");
}

#[tokio::test]
async fn a_legacy_client_is_asked_several_things_at_once() {
    let mut peer = Peer::of(deployer());
    peer.initialize("2025-11-25", r#"{"elicitation":{"form":{}}}"#).await;
    let first = peer.ask(&legacy_call(1, "deploy_there")).await;
    let second = peer.hear().await;
    assert_ne!(first["id"], second["id"]);
    answer(&mut peer, &second, json!({ "name": "mars" })).await;
    answer(&mut peer, &first, json!({ "yes": false })).await;
    assert_eq!(peer.hear().await["result"]["content"][0]["text"], "false mars");
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_question() {
    let mut peer = Peer::of(deployer());
    peer.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let question = peer.ask(&legacy_call(1, "deploy")).await;
    let withdrawn =
        peer.ask(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    // An answer that comes too late is dropped.
    answer(&mut peer, &question, json!({ "yes": true })).await;
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn questions_fail_when_the_input_ends() {
    let mut peer = Peer::of(deployer());
    peer.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    peer.ask(&legacy_call(1, "deploy")).await;
    let rest = peer.end().await;
    assert_eq!(rest[0]["error"]["message"], "the client is gone");
}

//! The legacy era over a pipe.

use serde_json::{Value, json};

use super::stage::{Peer, calculator, play};

const PING: &str = r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#;

#[tokio::test]
async fn every_method_is_answered_after_the_handshake() {
    let mut peer = Peer::of(calculator());
    peer.initialize("2025-11-25", "{}").await;
    let mut result = async |id: i64, method: &str, params: &str| {
        let answer = peer
            .ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))
            .await;
        assert_eq!(answer["id"], id);
        answer["result"].clone()
    };
    assert_eq!(result(1, "ping", "{}").await, json!({}));
    assert_eq!(result(2, "tools/list", "{}").await["tools"][0]["name"], "divide");
    assert_eq!(
        result(3, "tools/call", r#"{"name":"divide","arguments":{"a":6,"b":2}}"#).await,
        json!({ "content": [{ "type": "text", "text": "3" }] })
    );
    assert_eq!(result(4, "resources/read", r#"{"uri":"memo://1"}"#).await["contents"][0]["text"], "remember");
    assert_eq!(
        result(5, "prompts/get", r#"{"name":"greet","arguments":{"name":"Alan"}}"#).await["messages"][0]["content"]
            ["text"],
        "Greet Alan"
    );
    assert_eq!(
        result(
            6,
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"g"}}"#
        )
        .await["completion"]["values"],
        json!(["grace"])
    );
    assert_eq!(result(7, "logging/setLevel", r#"{"level":"error"}"#).await, json!({}));
    assert_eq!(result(8, "resources/subscribe", r#"{"uri":"memo://1"}"#).await, json!({}));
    assert_eq!(result(9, "resources/unsubscribe", r#"{"uri":"memo://1"}"#).await, json!({}));
}

#[tokio::test]
async fn only_ping_is_answered_before_initialize() {
    let mut peer = Peer::of(calculator());
    assert_eq!(peer.ask(PING).await["result"], json!({}));
    let refused = peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(refused["error"]["code"], -32600);
    assert!(refused["error"]["message"].as_str().unwrap().contains("send initialize first"), "{refused}");
    let unknown = peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"no/such"}"#).await;
    assert_eq!(unknown["error"]["code"], -32601);
    // What was refused has changed nothing.
    peer.initialize("2025-06-18", "{}").await;
    assert!(peer.ask(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#).await["result"].is_object());
}

#[tokio::test]
async fn a_request_between_initialize_and_initialized_is_answered() {
    let mut peer = Peer::of(calculator());
    peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"t","version":"0"},"capabilities":{}}}"#).await;
    let answer =
        peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}"#).await;
    assert_eq!(answer["result"], json!({}));
}

#[tokio::test]
async fn both_eras_mix_on_one_pipe() {
    let mut peer = Peer::of(calculator());
    let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"divide","arguments":{"a":1,"b":1},@meta}}"#;
    let legacy = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"divide","arguments":{"a":1,"b":1}}}"#;
    assert_eq!(peer.ask(modern).await["result"]["resultType"], "complete");
    peer.initialize("2024-11-05", "{}").await;
    assert_eq!(peer.ask(legacy).await["result"].get("resultType"), None);
    assert_eq!(peer.ask(modern).await["result"]["resultType"], "complete");
    assert_eq!(peer.ask(legacy).await["result"].get("resultType"), None);
}

#[tokio::test]
async fn a_later_initialize_begins_the_session_anew() {
    let mut peer = Peer::of(calculator());
    peer.initialize("2025-11-25", "{}").await;
    peer.initialize("2025-03-26", "{}").await;
    let batch = peer.ask(&format!("[{PING}]")).await;
    assert_eq!(batch, json!([{ "jsonrpc": "2.0", "id": "ping", "result": {} }]));
}

#[tokio::test]
async fn changes_are_told_once_the_client_is_ready() {
    let server = calculator();
    let mut peer = Peer::of(server.clone());
    peer.initialize("2025-11-25", "{}").await;
    peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"memo://1"}}"#).await;
    server.resource_changed("memo://2");
    server.resource_changed("memo://1");
    assert_eq!(
        peer.hear().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": { "uri": "memo://1" } })
    );
    server.remove_tool("panics");
    assert_eq!(peer.hear().await, json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"memo://1"}}"#)
        .await;
    server.resource_changed("memo://1");
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn logs_follow_the_level_of_the_session() {
    play(
        calculator(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"logging":{},"completions":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"calculator","version":"1.2.3"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatter","_meta":{"progressToken":5}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1.0,"total":2.0}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"chatter","data":"careful"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"chatter"}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"done"}]}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn a_batch_is_answered_as_one_array_where_the_session_has_batches() {
    let mut peer = Peer::of(calculator());
    peer.initialize("2025-03-26", "{}").await;
    let answers = peer
        .ask(
            &r#"[@ping, {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}, {"jsonrpc":"2.0","id":{}}, {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"divide","arguments":{"a":4,"b":2}}}, {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{@meta}}, {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}]"#
                .replace("@ping", PING),
        )
        .await;
    let of =
        |id: Value| answers.as_array().unwrap().iter().find(|answer| answer["id"] == id).unwrap().clone();
    assert_eq!(answers.as_array().unwrap().len(), 5);
    assert_eq!(of(json!("ping"))["result"], json!({}));
    assert_eq!(of(json!(2))["result"]["content"][0]["text"], "2");
    assert_eq!(of(json!(3))["error"]["code"], -32600);
    assert_eq!(of(json!(4))["error"]["code"], -32600);
    assert_eq!(of(Value::Null)["error"]["code"], -32600);
}

#[tokio::test]
async fn a_batch_of_notifications_is_not_answered() {
    let mut peer = Peer::of(calculator());
    peer.initialize("2025-03-26", "{}").await;
    peer.say(r#"[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]"#).await;
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_batch_is_refused_as_a_whole_everywhere_else() {
    let mut peer = Peer::of(calculator());
    for revision in [None, Some("2025-06-18")] {
        if let Some(revision) = revision {
            peer.initialize(revision, "{}").await;
        }
        let refused = peer.ask(&format!("[{PING}]")).await;
        assert_eq!(refused["error"]["code"], -32600, "{revision:?}");
        assert!(refused.get("id").is_none());
    }
}

//! The modern era over a pipe.

use serde_json::{Value, json};

use super::stage::{Peer, calculator, play};

#[tokio::test]
async fn discovery_names_modern_revisions_only() {
    let mut peer = Peer::of(calculator());
    let answer = peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{@meta}}"#).await;
    assert_eq!(answer["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["capabilities"]["prompts"], json!({ "listChanged": true }));
}

#[tokio::test]
async fn every_method_is_answered_without_a_handshake() {
    play(
        calculator(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"divide","arguments":{"a":12,"b":4},@meta}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"3"}],@server}}
        > {"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"divide","arguments":{"a":12,"b":0},@meta}}
        < {"jsonrpc":"2.0","id":"two","result":{"resultType":"complete","content":[{"type":"text","text":"cannot divide by zero"}],"isError":true,@server}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"page://7",@meta}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","contents":[{"uri":"page://7","mimeType":"text/plain","text":"page 7"}],"ttlMs":0,"cacheScope":"private",@server}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ada"},@meta}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"Greet Ada"}}],@server}}
        > {"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"a"},@meta}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","completion":{"values":["ada","alan"],"total":2},@server}}
        > {"jsonrpc":"2.0","id":6,"method":"resources/templates/list","params":{@meta}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","resourceTemplates":[{"uriTemplate":"page://{number}","name":"page"}],"ttlMs":0,"cacheScope":"private",@server}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn failures_say_what_failed_and_change_nothing() {
    play(
        calculator(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing",@meta}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: nothing"}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"memo://2",@meta}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Resource not found: memo://2","data":{"uri":"memo://2"}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"divide","_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"Unsupported protocol version: 1900-01-01 (supported versions: 2026-07-28)","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"panics",@meta}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"Internal error: the handler panicked"}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"divide","arguments":{"a":1,"b":1},@meta}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"1"}],@server}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn progress_and_logs_come_before_the_answer_and_only_if_wanted() {
    let wanted = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","progressToken":"p"}"#;
    play(
        calculator(),
        &r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chatter",@wanted}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0,"total":2.0,"message":"half"}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"chatter","data":"careful"}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],@server}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatter",@meta}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],@server}}
        "#
        .replace("@wanted", wanted),
    )
    .await;
}

/// Opens a subscription to tools and one resource, and hears the acknowledgment.
async fn listen(peer: &mut Peer, id: &str) {
    let acknowledged = peer
        .ask(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true,"resourceSubscriptions":["memo://1"]}},@meta}}}}"#
        ))
        .await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json_of(id));
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn a_subscription_hears_what_it_asked_for_until_it_is_cancelled() {
    let server = calculator();
    let mut peer = Peer::of(server.clone());
    listen(&mut peer, r#""s""#).await;
    server.remove_prompt("greet");
    server.resource_changed("memo://1");
    let heard = peer.hear().await;
    assert_eq!(heard["method"], "notifications/resources/updated");
    assert_eq!(heard["params"]["uri"], "memo://1");
    assert_eq!(heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
    peer.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#).await;
    peer.ask(r#"{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{@meta}}"#).await;
    server.resource_changed("memo://1");
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_subscription_that_the_server_ends_gets_its_result() {
    let server = calculator();
    let mut peer = Peer::of(server.clone());
    listen(&mut peer, "7").await;
    server.end_subscriptions();
    let result = peer.hear().await;
    assert_eq!(result["id"], 7);
    assert_eq!(result["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    let cancelled = peer.hear().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], 7);
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_end_of_the_input_ends_subscriptions_in_good_order() {
    let mut peer = Peer::of(calculator());
    listen(&mut peer, "1").await;
    listen(&mut peer, "2").await;
    let mut ended: Vec<Value> =
        peer.end().await.into_iter().filter(|message| message.get("result").is_some()).collect();
    ended.sort_by_key(|message| message["id"].as_i64());
    assert_eq!(ended.len(), 2);
    assert_eq!(ended[1]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 2);
}

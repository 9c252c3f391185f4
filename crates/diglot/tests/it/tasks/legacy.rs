//! The experimental tasks of revision 2025-11-25, on both sides.

use diglot::client::Started;
use diglot::http::{HttpServer, StreamableHttp};
use diglot::types::TaskStatus;
use diglot::{Client, Error, Mode, Revision};
use serde_json::{Value, json};

use super::client::{builder, in_memory};
use super::stage::{Desk, Peer};

const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Opens a session of a revision and returns what the server declares.
async fn initialize(peer: &mut Peer, revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision, "capabilities": { "elicitation": {} }, "clientInfo": { "name": "t", "version": "1" },
    });
    let id = peer.send_bare("initialize", params).await;
    let answer = peer.answer(id).await;
    peer.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    answer["result"]["capabilities"].clone()
}

async fn ask(peer: &mut Peer, method: &str, params: Value) -> Value {
    let id = peer.send_bare(method, params).await;
    peer.answer(id).await
}

async fn start(peer: &mut Peer, tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": {}, "task": { "ttl": 60_000 } });
    ask(peer, "tools/call", params).await["result"]["task"].clone()
}

#[tokio::test]
async fn tasks_are_declared_at_the_one_revision_that_has_them() {
    let server = Desk::default().server();
    let declared = initialize(&mut Peer::of(&server), "2025-11-25").await;
    assert_eq!(
        declared["tasks"],
        json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } })
    );
    assert_eq!(declared["extensions"], Value::Null);
    assert_eq!(initialize(&mut Peer::of(&server), "2025-06-18").await["tasks"], Value::Null);
}

#[tokio::test]
async fn a_tool_says_whether_it_runs_as_a_task_and_is_held_to_it() {
    let mut peer = Peer::of(&Desk::default().server());
    initialize(&mut peer, "2025-11-25").await;
    let tools = ask(&mut peer, "tools/list", json!({})).await["result"]["tools"].clone();
    let support = |name: &str| {
        let tools = tools.as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["execution"]["taskSupport"].clone()
    };
    assert_eq!(
        (support("wait"), support("job"), support("plain")),
        (json!("optional"), json!("required"), Value::Null)
    );
    let job = ask(&mut peer, "tools/call", json!({ "name": "job", "arguments": {} })).await;
    assert_eq!(job["error"]["code"], -32601);
    let plain = ask(&mut peer, "tools/call", json!({ "name": "plain", "arguments": {}, "task": {} })).await;
    assert_eq!(plain["error"]["code"], -32601);
    let fail = ask(&mut peer, "tools/call", json!({ "name": "fail", "arguments": {} })).await;
    assert_eq!(fail["result"]["isError"], true);
}

#[tokio::test]
async fn a_task_is_created_looked_at_fetched_and_listed() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    initialize(&mut peer, "2025-11-25").await;
    let created = start(&mut peer, "wait").await;
    assert_eq!((&created["status"], &created["ttl"]), (&json!("working"), &json!(60_000)));
    assert_eq!(created["pollInterval"], 1_000);
    let id = created["taskId"].as_str().unwrap();
    let seen = ask(&mut peer, "tasks/get", json!({ "taskId": id })).await["result"].clone();
    assert_eq!((&seen["taskId"], &seen["resultType"]), (&json!(id), &Value::Null));
    let fetching = peer.send_bare("tasks/result", json!({ "taskId": id })).await;
    desk.has_begun(1).await;
    desk.gate.notify_one();
    let fetched = peer.answer(fetching).await["result"].clone();
    assert_eq!(fetched["content"][0]["text"], "waited");
    assert_eq!(fetched["_meta"], json!({ RELATED: { "taskId": id } }));
    let failed = start(&mut peer, "fail").await["taskId"].clone();
    let fetched = ask(&mut peer, "tasks/result", json!({ "taskId": failed })).await["result"].clone();
    assert_eq!(fetched["isError"], true);
    let listed = ask(&mut peer, "tasks/list", json!({})).await["result"]["tasks"].clone();
    let statuses: Vec<&Value> = listed.as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(statuses, ["completed", "failed"]);
    let refused = start(&mut peer, "refuse").await["taskId"].clone();
    assert_eq!(ask(&mut peer, "tasks/result", json!({ "taskId": refused })).await["error"]["code"], -32602);
    assert_eq!(ask(&mut peer, "tasks/list", json!({ "cursor": "x" })).await["error"]["code"], -32602);
    assert_eq!(ask(&mut peer, "tasks/result", json!({ "taskId": "x" })).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_question_of_a_task_is_asked_within_its_result() {
    let mut peer = Peer::of(&Desk::default().server());
    initialize(&mut peer, "2025-11-25").await;
    let id = start(&mut peer, "greet").await["taskId"].clone();
    let mut seen = Value::Null;
    while seen != "input_required" {
        seen = ask(&mut peer, "tasks/get", json!({ "taskId": id })).await["result"]["status"].clone();
    }
    let fetching = peer.send_bare("tasks/result", json!({ "taskId": id })).await;
    let question = peer.hear().await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["_meta"], json!({ RELATED: { "taskId": id } }));
    let answer = json!({ "action": "accept", "content": { "name": "Ada" } });
    peer.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await;
    assert_eq!(peer.answer(fetching).await["result"]["content"][0]["text"], "hello Ada");
}

#[tokio::test]
async fn a_task_is_cancelled_once() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    initialize(&mut peer, "2025-11-25").await;
    let id = start(&mut peer, "wait").await["taskId"].clone();
    desk.has_begun(1).await;
    let cancelled = ask(&mut peer, "tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(cancelled["result"]["status"], "cancelled");
    desk.has_dropped(1).await;
    let again = ask(&mut peer, "tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(again["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn the_client_awaits_legacy_tasks_in_the_same_way() {
    let desk = Desk::default();
    let builder = builder().mode(Mode::Legacy).revision(Revision::V2025_11_25);
    let client = builder.connect(in_memory(&desk.server())).await.unwrap();
    assert_eq!(client.call_tool("job", json!({})).await.unwrap().text(), "done");
    for (tool, said) in
        [("plain", "at once"), ("greet", "hello Ada"), ("survey", "Ada is 36"), ("ask_first", "Ada is 36")]
    {
        let text = match client.call_tool(tool, json!({})).start().await.unwrap() {
            Started::Done(done) => done.text(),
            Started::Task(handle) => handle.wait().await.unwrap().text(),
        };
        assert_eq!(text, said, "{tool}");
    }
    let Started::Task(handle) = client.call_tool("wait", json!({})).start().await.unwrap() else {
        panic!("it is a task")
    };
    assert_eq!(handle.status().await.unwrap().status, TaskStatus::Working);
    handle.cancel().await.unwrap();
    assert!(matches!(handle.wait().await, Err(Error::Cancelled)));
}

#[tokio::test]
async fn legacy_tasks_work_over_sessions_of_http() {
    let listener = HttpServer::bind(Desk::default().server(), ("127.0.0.1", 0)).await.unwrap();
    let url = listener.url();
    tokio::spawn(listener.serve());
    let builder = builder().mode(Mode::Legacy).revision(Revision::V2025_11_25);
    let client: Client = builder.connect(StreamableHttp::new(&url).unwrap()).await.unwrap();
    let Started::Task(handle) = client.call_tool("greet", json!({})).start().await.unwrap() else {
        panic!("it is a task")
    };
    assert_eq!(handle.wait().await.unwrap().text(), "hello Ada");
}

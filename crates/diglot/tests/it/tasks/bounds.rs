//! What tasks may take, and whose they are.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use diglot::Tool;
use diglot::http::HttpService;
use diglot::server::TaskLimits;
use diglot::types::TaskSupport;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tower_service::Service;

use super::stage::{Desk, Peer, TASKS};

#[tokio::test(start_paused = true)]
async fn a_task_whose_time_is_over_is_cut_off_and_forgotten() {
    let desk = Desk::default();
    let hour = Duration::from_secs(3600);
    let server = desk.server().task_limits(TaskLimits::default().ttl(hour, hour));
    let mut peer = Peer::of(&server);
    let (id, done) = (peer.start("wait").await, peer.start("job").await);
    peer.until(&done, "completed").await;
    tokio::time::sleep(Duration::from_secs(3599)).await; // paused clock
    peer.until(&id, "working").await;
    peer.until(&done, "completed").await;
    tokio::time::sleep(Duration::from_secs(2)).await; // paused clock
    desk.has_dropped(1).await;
    assert_eq!(peer.task(&id).await["error"]["code"], -32602);
    assert_eq!(peer.task(&done).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_tool_says_how_long_and_how_often_for_itself() {
    let tool = Tool::new("own", async |_: diglot::Context| "done")
        .task(TaskSupport::Required)
        .task_ttl(Duration::from_secs(5))
        .task_poll_interval(Duration::from_millis(50));
    let mut peer = Peer::of(&Desk::default().server().tool(tool));
    let task = peer.call("own").await["result"].clone();
    assert_eq!((&task["ttlMs"], &task["pollIntervalMs"]), (&json!(5_000), &json!(50)));
}

#[tokio::test]
async fn more_tasks_than_may_run_are_refused_until_one_ends() {
    let desk = Desk::default();
    let server = desk.server().task_limits(TaskLimits::default().running(3, 2));
    let mut peer = Peer::of(&server);
    peer.start("wait").await;
    let second = peer.start("wait").await;
    let refused = peer.call("wait").await["error"].clone();
    assert!(refused["message"].as_str().unwrap().contains("running_of_one"), "{refused}");
    desk.has_begun(2).await;
    peer.ask("tasks/cancel", json!({ "taskId": second })).await;
    desk.has_dropped(1).await;
    while peer.call("wait").await["error"].is_object() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_oldest_ended_task_gives_way_when_too_many_are_kept() {
    let server = Desk::default().server().task_limits(TaskLimits::default().kept(2, 1 << 20));
    let mut peer = Peer::of(&server);
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = peer.start("job").await;
        peer.until(&id, "completed").await;
        ids.push(id);
    }
    assert_eq!(peer.task(&ids[0]).await["error"]["code"], -32602);
    peer.until(&ids[1], "completed").await;
    peer.until(&ids[2], "completed").await;
}

#[tokio::test]
async fn a_result_that_is_too_large_to_be_kept_fails_its_task() {
    let tool = Tool::new("big", async |_: diglot::Context| "x".repeat(10_000)).task(TaskSupport::Required);
    let server = Desk::default().server().task_limits(TaskLimits::default().kept(10, 5_000)).tool(tool);
    let mut peer = Peer::of(&server);
    let id = peer.start("big").await;
    let failed = peer.until(&id, "failed").await;
    assert!(failed["error"]["message"].as_str().unwrap().contains("could not be kept"), "{failed}");
}

#[tokio::test]
async fn a_task_asks_no_more_than_its_limit() {
    let server = Desk::default().server().task_limits(TaskLimits::default().questions(3));
    let mut peer = Peer::of(&server);
    let id = peer.start("greet").await;
    for key in ["name", "name-2", "name-3"] {
        peer.until(&id, "input_required").await;
        peer.respond(&id, &[(key, json!({}))]).await;
    }
    let failed = peer.until(&id, "failed").await;
    assert!(failed["error"]["message"].as_str().unwrap().contains("questions"), "{failed}");
}

#[tokio::test]
async fn many_tasks_run_at_the_same_time_and_none_gets_the_id_of_another() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    let mut ids = Vec::new();
    for _ in 0..100 {
        ids.push(peer.start("wait").await);
    }
    desk.has_begun(100).await;
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 100);
    while !ids.is_empty() {
        let id = ids.remove(0);
        desk.gate.notify_one();
        if peer.task(&id).await["result"]["status"] != "completed" {
            ids.push(id);
        }
    }
}

/// A client over HTTP, whose name a header gives.
struct Caller<'a> {
    service: &'a HttpService,
    name: &'a str,
}

impl Caller<'_> {
    async fn ask(&self, method: &str, name: &str, params: Value) -> (u16, Value) {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "extensions": { TASKS: {} } },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .header("mcp-name", name)
            .header("x-user", self.name)
            .body(Full::new(Bytes::from(message.to_string())))
            .unwrap();
        let (head, mut body) = self.service.clone().call(request).await.unwrap().into_parts();
        let mut text = Vec::new();
        while let Some(chunk) = body.chunk().await {
            text.extend_from_slice(&chunk.unwrap());
        }
        (head.status.as_u16(), serde_json::from_slice(&text).unwrap())
    }
}

#[tokio::test]
async fn a_task_is_seen_by_its_own_caller_alone() {
    let desk = Desk::default();
    let service = desk
        .server()
        .into_http_service()
        .principal_from(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()));
    let (ann, bob) = (Caller { service: &service, name: "ann" }, Caller { service: &service, name: "bob" });
    let (_, created) = ann.ask("tools/call", "wait", json!({ "name": "wait", "arguments": {} })).await;
    let id = created["result"]["taskId"].as_str().unwrap();
    for (method, params) in [
        ("tasks/get", json!({ "taskId": id })),
        ("tasks/cancel", json!({ "taskId": id })),
        ("tasks/update", json!({ "taskId": id, "inputResponses": {} })),
    ] {
        let (_, refused) = bob.ask(method, id, params).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}");
        let (_, unknown) = bob.ask("tasks/get", "0", json!({ "taskId": "0" })).await;
        assert_eq!(refused["error"], unknown["error"], "nobody learns that the task is there");
    }
    let (status, seen) = ann.ask("tasks/get", id, json!({ "taskId": id })).await;
    assert_eq!((status, &seen["result"]["status"]), (200, &json!("working")));
    let (status, mismatch) = ann.ask("tasks/get", "other", json!({ "taskId": id })).await;
    assert_eq!((status, &mismatch["error"]["code"]), (400, &json!(-32020)));
    let (_, asked) = ann.ask("tasks/cancel", id, json!({ "taskId": id })).await;
    assert_eq!(asked["result"]["resultType"], "complete");
    desk.has_dropped(1).await;
}

//! Tasks of the modern era, as a client's end of a pipe sees them.

use std::time::Duration;

use serde_json::{Value, json};

use super::stage::{Desk, Peer, TASKS};

#[tokio::test]
async fn the_extension_is_declared_where_a_tool_may_run_as_a_task() {
    let mut peer = Peer::of(&Desk::default().server());
    let discovery = peer.ask("server/discover", json!({})).await;
    assert_eq!(discovery["result"]["capabilities"]["extensions"], json!({ TASKS: {} }));
    assert_eq!(discovery["result"]["capabilities"]["tasks"], Value::Null);
    let mut peer = Peer::of(&diglot::Server::new("none", "1"));
    let discovery = peer.ask("server/discover", json!({})).await;
    assert_eq!(discovery["result"]["capabilities"]["extensions"], Value::Null);
    assert_eq!(peer.task("x").await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_task_goes_on_after_its_first_answer_and_keeps_its_result() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    let created = peer.call("wait").await["result"].clone();
    assert_eq!(created["resultType"], "task");
    assert_eq!((&created["status"], &created["ttlMs"]), (&json!("working"), &json!(3_600_000)));
    assert_eq!(created["pollIntervalMs"], 1_000);
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    desk.has_begun(1).await;
    let working = peer.until(id, "working").await;
    assert_eq!((&working["resultType"], &working["result"]), (&json!("complete"), &Value::Null));
    desk.gate.notify_one();
    let completed = peer.until(id, "completed").await;
    assert_eq!(completed["result"]["content"][0]["text"], "waited");
    assert_eq!(completed["result"]["resultType"], "complete");
    assert_eq!(completed["createdAt"], created["createdAt"]);
    assert_eq!(peer.until(id, "completed").await, completed);
}

#[tokio::test]
async fn a_client_without_the_extension_waits_for_the_result() {
    let mut peer = Peer::of(&Desk::default().server());
    peer.declares = false;
    let answer = peer.call("fail").await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["isError"], true);
    let question = peer.call("greet").await;
    assert_eq!(question["result"]["resultType"], "input_required");
}

#[tokio::test]
async fn what_only_a_task_can_give_is_refused_to_a_client_without_the_extension() {
    let mut peer = Peer::of(&Desk::default().server());
    let id = peer.start("wait").await;
    peer.declares = false;
    let update = json!({ "taskId": id, "inputResponses": {} });
    for (method, params) in [
        ("tools/call", json!({ "name": "job", "arguments": {} })),
        ("tasks/get", json!({ "taskId": id })),
        ("tasks/cancel", json!({ "taskId": id })),
        ("tasks/update", update),
        ("subscriptions/listen", json!({ "notifications": { "taskIds": [id] } })),
    ] {
        let error = peer.ask(method, params).await["error"].clone();
        assert_eq!(error["code"], -32021, "{method}");
        assert_eq!(error["data"], json!({ "requiredCapabilities": { "extensions": { TASKS: {} } } }));
    }
    peer.declares = true;
    let id = peer.start("job").await;
    assert_eq!(peer.until(&id, "completed").await["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn only_an_error_of_the_protocol_fails_a_task() {
    let mut peer = Peer::of(&Desk::default().server());
    let told = peer.start("fail").await;
    let told = peer.until(&told, "completed").await;
    assert_eq!(told["result"]["isError"], true);
    let refused = peer.start("refuse").await;
    let refused = peer.until(&refused, "failed").await;
    assert_eq!(refused["error"], json!({ "code": -32602, "message": "not like this" }));
    assert_eq!((&refused["statusMessage"], &refused["result"]), (&json!("not like this"), &Value::Null));
    let panicked = peer.start("panics").await;
    assert_eq!(peer.until(&panicked, "failed").await["error"]["code"], -32603);
}

#[tokio::test]
async fn a_question_parks_the_task_until_it_is_answered() {
    let mut peer = Peer::of(&Desk::default().server());
    let id = peer.start("greet").await;
    let parked = peer.until(&id, "input_required").await;
    assert_eq!(parked["inputRequests"]["name"]["method"], "elicitation/create");
    assert_eq!(parked["inputRequests"]["name"]["params"]["message"], "Who are you?");
    let answered = peer.respond(&id, &[("name", json!({ "name": "Ada" }))]).await["result"].clone();
    assert_eq!(answered["resultType"], "complete");
    assert_eq!(answered["taskId"], Value::Null);
    let done = peer.until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "hello Ada");
    assert_eq!(done["inputRequests"], Value::Null);
}

#[tokio::test]
async fn of_several_questions_the_unanswered_remain_and_foreign_keys_are_passed_over() {
    let mut peer = Peer::of(&Desk::default().server());
    let id = peer.start("survey").await;
    while peer.until(&id, "input_required").await["inputRequests"].as_object().unwrap().len() < 2 {}
    let answers = [("age", json!({ "age": 36 })), ("weight", json!({ "kilos": 1 }))];
    assert_eq!(peer.respond(&id, &answers).await["error"], Value::Null);
    let parked = peer.until(&id, "input_required").await;
    assert_eq!(parked["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["name"]);
    // An answer that was taken is not taken again.
    peer.respond(&id, &[("age", json!({ "age": 99 }))]).await;
    peer.respond(&id, &[("name", json!({ "name": "Ada" }))]).await;
    let done = peer.until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "Ada is 36");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_by_another_key() {
    let mut peer = Peer::of(&Desk::default().server());
    let id = peer.start("greet").await;
    peer.until(&id, "input_required").await;
    peer.respond(&id, &[("name", json!({ "age": 3 }))]).await;
    let parked = peer.until(&id, "input_required").await;
    assert_eq!(parked["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["name-2"]);
    peer.respond(&id, &[("name-2", json!({ "name": "Ada" }))]).await;
    assert_eq!(peer.until(&id, "completed").await["result"]["content"][0]["text"], "hello Ada");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_waits_for_any_more_is_taken_back() {
    let mut peer = Peer::of(&Desk::default().server());
    let id = peer.start("impatient").await;
    peer.until(&id, "input_required").await;
    tokio::time::sleep(Duration::from_secs(11)).await; // paused clock
    let working = peer.until(&id, "working").await;
    assert_eq!(working["inputRequests"], Value::Null);
}

#[tokio::test]
async fn a_cancelled_task_drops_its_handler_and_stays_cancelled() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    let id = peer.start("wait").await;
    desk.has_begun(1).await;
    for _ in 0..2 {
        let acknowledged = peer.ask("tasks/cancel", json!({ "taskId": id })).await["result"].clone();
        assert_eq!(acknowledged["resultType"], "complete");
        assert_eq!(acknowledged["status"], Value::Null);
    }
    desk.has_dropped(1).await;
    let cancelled = peer.until(&id, "cancelled").await;
    assert_eq!(cancelled["statusMessage"], "cancelled by the client");
    let done = peer.start("job").await;
    peer.until(&done, "completed").await;
    peer.ask("tasks/cancel", json!({ "taskId": done })).await;
    peer.until(&done, "completed").await;
}

#[tokio::test]
async fn an_unknown_task_is_a_bad_parameter_and_methods_of_the_old_tasks_are_unknown() {
    let mut peer = Peer::of(&Desk::default().server());
    let update = json!({ "taskId": "nope", "inputResponses": {} });
    for (method, params, code) in [
        ("tasks/get", json!({ "taskId": "nope" }), -32602),
        ("tasks/get", json!({}), -32602),
        ("tasks/get", json!({ "taskId": "x".repeat(100_000) }), -32602),
        ("tasks/cancel", json!({ "taskId": "nope" }), -32602),
        ("tasks/update", update, -32602),
        ("tasks/update", json!({ "taskId": "nope" }), -32602),
        ("tasks/result", json!({ "taskId": "nope" }), -32601),
        ("tasks/list", json!({}), -32601),
    ] {
        assert_eq!(peer.ask(method, params).await["error"]["code"], code, "{method}");
    }
}

#[tokio::test]
async fn the_parameter_of_the_old_tasks_is_passed_over() {
    let mut peer = Peer::of(&Desk::default().server());
    let params = json!({ "name": "plain", "arguments": {}, "task": { "ttl": 5 } });
    let answer = peer.ask("tools/call", params).await;
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_handler_may_ask_before_its_task_begins() {
    let mut peer = Peer::of(&Desk::default().server());
    let first = peer.call("ask_first").await["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["taskId"], Value::Null);
    let again = |name: &str| {
        json!({
            "name": "ask_first", "arguments": {}, "requestState": first["requestState"],
            "inputResponses": { "name": { "action": "accept", "content": { "name": name } } },
        })
    };
    let second = peer.ask("tools/call", again("nobody")).await["result"].clone();
    assert_eq!(
        (&second["resultType"], &second["content"][0]["text"]),
        (&json!("complete"), &json!("nothing to do"))
    );
    let second = peer.ask("tools/call", again("Ada")).await["result"].clone();
    assert_eq!((&second["resultType"], &second["requestState"]), (&json!("task"), &Value::Null));
    let id = second["taskId"].as_str().unwrap();
    peer.until(id, "input_required").await;
    peer.respond(id, &[("age", json!({ "age": 36 }))]).await;
    assert_eq!(peer.until(id, "completed").await["result"]["content"][0]["text"], "Ada is 36");
}

#[tokio::test]
async fn what_a_handler_says_of_itself_is_the_message_of_its_task() {
    let desk = Desk::default();
    let mut peer = Peer::of(&desk.server());
    let id = peer.start("wait").await;
    desk.has_begun(1).await;
    while peer.until(&id, "working").await["statusMessage"] != "half way" {
        tokio::task::yield_now().await;
    }
    assert_eq!(peer.heard, Vec::<Value>::new(), "a task has no progress of its own");
}

#[tokio::test]
async fn a_task_outlives_the_pipe_that_it_was_created_over() {
    let desk = Desk::default();
    let server = desk.server();
    let mut peer = Peer::of(&server);
    let id = peer.start("wait").await;
    desk.has_begun(1).await;
    drop(peer);
    let mut peer = Peer::of(&server);
    peer.until(&id, "working").await;
    desk.gate.notify_one();
    peer.until(&id, "completed").await;
}

#[tokio::test]
async fn the_end_of_the_server_cancels_what_runs() {
    let desk = Desk::default();
    let server = desk.server();
    let mut peer = Peer::of(&server);
    let id = peer.start("wait").await;
    desk.has_begun(1).await;
    server.end_tasks().await;
    assert_eq!(*desk.dropped.borrow(), 1);
    assert_eq!(peer.until(&id, "cancelled").await["statusMessage"], "the server shuts down");
}

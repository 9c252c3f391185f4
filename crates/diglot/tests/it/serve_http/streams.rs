//! The stream of one request: when it begins, what keeps it alive, and what ends it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::desk::{Desk, all_shown, ask_for, call, messages, modern, modern_post, next, send};

fn telling(id: i64) -> Value {
    let mut message = call(id, "tell_and_wait", json!({}));
    message["params"]["_meta"]["progressToken"] = id.into();
    message
}

#[tokio::test]
async fn a_stream_begins_with_the_first_notification() {
    let desk = Desk::new();
    // The handler has not ended, and the head is there.
    let (head, mut body) = send(&desk.service(), modern_post(&telling(1), &[])).await.into_parts();
    assert_eq!(head.headers["content-type"], "text/event-stream");
    assert_eq!(all_shown(&messages(&next(&mut body).await)), ["notifications/progress"]);
    desk.gate.notify_one();
    // The last notification, the result and the end are one piece.
    assert_eq!(all_shown(&messages(&next(&mut body).await)), ["notifications/progress", "result 1"]);
    assert_eq!(next(&mut body).await, "");
}

#[tokio::test]
async fn a_client_that_leaves_before_the_answer_cancels_the_handler() {
    let desk = Desk::new();
    let service = desk.service();
    let request = send(&service, modern_post(&call(1, "wait", json!({})), &[]));
    tokio::select! {
        _ = request => panic!("nobody lets the handler go on"),
        () = desk.is_waiting(1) => {}
    }
    desk.has_dropped(1).await;
    assert_eq!(desk.ended.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_cancels_the_handler() {
    let desk = Desk::new();
    let body = send(&desk.service(), modern_post(&telling(1), &[])).await.into_body();
    drop(body);
    desk.has_dropped(1).await;
}

#[tokio::test(start_paused = true)]
async fn silence_begins_a_stream_and_keeps_it_alive() {
    let desk = Desk::new();
    let service = desk.service();
    let began = tokio::time::Instant::now();
    let mut body = send(&service, modern_post(&call(1, "wait", json!({})), &[])).await.into_body();
    assert_eq!(began.elapsed().as_secs(), 15);
    for beat in 1..4 {
        assert_eq!(next(&mut body).await, ": \n\n");
        assert_eq!(began.elapsed().as_secs(), 15 * beat);
    }
    desk.gate.notify_one();
    assert_eq!(all_shown(&messages(&next(&mut body).await)), ["result 1"]);
}

#[tokio::test(start_paused = true)]
async fn who_accepts_json_alone_waits_in_silence() {
    let desk = Desk::new();
    let service = desk.service().keep_alive(Duration::from_secs(1));
    let request = modern_post(&call(1, "wait", json!({})), &[("accept", "application/json")]);
    let service = async {
        let answer = ask_for(&service, request).await;
        assert_eq!(answer.json()["id"], 1);
    };
    let handler = async {
        desk.is_waiting(1).await;
        tokio::time::advance(Duration::from_secs(100)).await;
        desk.gate.notify_one();
    };
    tokio::join!(service, handler);
}

#[tokio::test]
async fn who_listens_hears_of_changes_until_the_server_ends_it() {
    let desk = Desk::new();
    let wanted = json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["test://greeting"] } });
    let request = modern_post(&modern(9, "subscriptions/listen", wanted), &[]);
    let mut body = send(&desk.service(), request).await.into_body();
    let first = messages(&next(&mut body).await);
    assert_eq!(all_shown(&first), ["notifications/subscriptions/acknowledged"]);
    assert_eq!(first[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    desk.server.remove_prompt("nobody has it");
    assert!(desk.server.remove_tool("chat"));
    desk.server.resource_changed("test://greeting");
    desk.server.resource_changed("test://other");
    assert_eq!(
        all_shown(&messages(&next(&mut body).await)),
        ["notifications/tools/list_changed", "notifications/resources/updated"]
    );
    desk.server.end_subscriptions();
    let last = messages(&next(&mut body).await);
    assert_eq!(all_shown(&last), ["result 9"]);
    assert_eq!(last[0]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert_eq!(next(&mut body).await, "");
}

#[tokio::test]
async fn a_question_in_the_modern_era_is_a_result() {
    let service = Desk::new().service();
    let answer = ask_for(&service, modern_post(&call(1, "ask", json!({})), &[])).await;
    let result = &answer.json()["result"];
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(result["inputRequests"]["confirm"]["method"], "elicitation/create");
    let mut again = call(2, "ask", json!({}));
    again["params"]["requestState"] = result["requestState"].clone();
    again["params"]["inputResponses"] =
        json!({ "confirm": { "action": "accept", "content": { "yes": true } } });
    let answer = ask_for(&service, modern_post(&again, &[])).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "confirmed");
}

#[tokio::test]
async fn a_request_state_is_good_for_its_caller_only() {
    let service = Desk::new()
        .service()
        .principal_from(|parts| Some(parts.headers.get("authorization")?.to_str().ok()?.to_owned()));
    let request = modern_post(&call(1, "ask", json!({})), &[("authorization", "ada")]);
    let state = ask_for(&service, request).await.json()["result"]["requestState"].clone();
    let mut again = call(2, "ask", json!({}));
    again["params"]["requestState"] = state;
    let answer = ask_for(&service, modern_post(&again, &[("authorization", "bob")])).await;
    assert_eq!(answer.code(), -32602);
    let answer = ask_for(&service, modern_post(&again, &[("authorization", "ada")])).await;
    assert_eq!(answer.json()["result"]["resultType"], "input_required");
}

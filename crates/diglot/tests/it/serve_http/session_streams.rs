//! The streams of a legacy session: questions, changes, withdrawal, and going on after a break.

use std::sync::atomic::Ordering;

use diglot::http::{Body, HttpService};
use serde_json::{Value, json};

use super::desk::{
    Desk, all_shown, ask_for, bare, legacy, legacy_call, messages, next, open, post, raw_post, send,
};

async fn post_in(service: &HttpService, session: &str, message: &Value) -> Body {
    send(service, post(message, &[("mcp-session-id", session)])).await.into_body()
}

async fn listen(service: &HttpService, session: &str, after: &str) -> Body {
    let headers = [("mcp-session-id", session), ("accept", "text/event-stream"), ("last-event-id", after)];
    let headers: Vec<_> = headers.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let response = send(service, bare("GET", &headers)).await;
    assert_eq!(response.status(), 200);
    response.into_body()
}

/// Answers the question of a server with yes.
async fn say_yes(service: &HttpService, session: &str, question: &Value) {
    assert_eq!(question["method"], "elicitation/create");
    let result = json!({ "action": "accept", "content": { "yes": true } });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
    let accepted = ask_for(service, post(&answer, &[("mcp-session-id", session)])).await;
    assert_eq!((accepted.status, accepted.text.as_str()), (202, ""));
}

/// Returns the last id in a piece of a stream.
fn last_id(text: &str) -> String {
    text.lines().rev().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned()
}

#[tokio::test]
async fn a_question_goes_over_the_stream_of_its_request() {
    let service = Desk::new().service();
    let session = open(&service, "2025-06-18").await;
    let mut body = post_in(&service, &session, &legacy_call(1, "ask")).await;
    let question = messages(&next(&mut body).await).remove(0);
    say_yes(&service, &session, &question).await;
    let last = messages(&next(&mut body).await);
    assert_eq!(last[0]["result"]["content"][0]["text"], "confirmed");
    assert_eq!(next(&mut body).await, "");
}

#[tokio::test]
async fn a_question_of_a_request_without_a_stream_goes_over_that_of_the_session() {
    let service = Desk::new().service();
    let session = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str()), ("accept", "application/json")];
    // Nobody could read it: the handler is told so at once.
    let answer = ask_for(&service, post(&legacy_call(1, "ask"), &headers)).await;
    assert_eq!(answer.code(), -32603);
    let mut stream = listen(&service, &session, "").await;
    assert_eq!(next(&mut stream).await, ": \n\n");
    let request = post(&legacy_call(2, "ask"), &headers);
    let calling = ask_for(&service, request);
    let answering = async {
        let question = messages(&next(&mut stream).await).remove(0);
        say_yes(&service, &session, &question).await;
    };
    let (answer, ()) = tokio::join!(calling, answering);
    assert_eq!(answer.json()["result"]["content"][0]["text"], "confirmed");
}

#[tokio::test]
async fn an_answer_counts_in_its_own_session_only() {
    let service = Desk::new().service();
    let (ours, theirs) = (open(&service, "2025-06-18").await, open(&service, "2025-06-18").await);
    let mut body = post_in(&service, &ours, &legacy_call(1, "ask")).await;
    let question = messages(&next(&mut body).await).remove(0);
    say_yes(&service, &theirs, &question).await;
    let mut left = Box::pin(next(&mut body));
    let still_asks = tokio::select! {
        biased;
        _ = &mut left => false,
        () = tokio::task::yield_now() => true,
    };
    assert!(still_asks);
    say_yes(&service, &ours, &question).await;
    assert_eq!(all_shown(&messages(&left.await)), ["result 1"]);
}

#[tokio::test]
async fn the_stream_of_a_session_tells_of_changes_that_it_wants() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-11-25").await;
    let subscribe = legacy(1, "resources/subscribe", json!({ "uri": "test://greeting" }));
    assert_eq!(ask_for(&service, post(&subscribe, &[("mcp-session-id", &session)])).await.status, 200);
    let mut stream = listen(&service, &session, "").await;
    assert_eq!(next(&mut stream).await, "id: 0-0\nretry: 1000\ndata:\n\n");
    desk.server.remove_tool("chat");
    desk.server.resource_changed("test://greeting");
    desk.server.resource_changed("test://other");
    let told = next(&mut stream).await;
    let expected = ["notifications/tools/list_changed", "notifications/resources/updated"];
    assert_eq!(all_shown(&messages(&told)), expected);
    // What happens while the client is away, it hears when it is back.
    drop(stream);
    desk.server.remove_tool("steps");
    let mut stream = listen(&service, &session, &last_id(&told)).await;
    let told = next(&mut stream).await;
    assert!(told.starts_with("id: 0-2\nretry: 1000\ndata:\n\nid: 0-3\ndata: {"), "{told}");
    assert_eq!(all_shown(&messages(&told)), ["notifications/tools/list_changed"]);
}

#[tokio::test]
async fn a_second_stream_of_a_session_takes_the_place_of_the_first() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-06-18").await;
    let mut first = listen(&service, &session, "").await;
    let mut second = listen(&service, &session, "").await;
    assert_eq!((next(&mut first).await, next(&mut first).await), (": \n\n".to_owned(), String::new()));
    assert_eq!(next(&mut second).await, ": \n\n");
    desk.server.remove_tool("chat");
    assert_eq!(all_shown(&messages(&next(&mut second).await)), ["notifications/tools/list_changed"]);
}

#[tokio::test]
async fn the_end_of_subscriptions_ends_the_stream_and_not_the_session() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-06-18").await;
    let mut stream = listen(&service, &session, "").await;
    assert_eq!(next(&mut stream).await, ": \n\n");
    desk.server.end_subscriptions();
    assert_eq!(next(&mut stream).await, "");
    let mut stream = listen(&service, &session, "").await;
    assert_eq!(next(&mut stream).await, ": \n\n");
    desk.server.remove_tool("chat");
    assert_eq!(all_shown(&messages(&next(&mut stream).await)), ["notifications/tools/list_changed"]);
}

#[tokio::test]
async fn a_request_that_is_withdrawn_gets_no_answer() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-06-18").await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    // With a stream that has begun.
    let mut body = post_in(&service, &session, &legacy_call(1, "tell_and_wait")).await;
    assert_eq!(all_shown(&messages(&next(&mut body).await)), ["notifications/progress"]);
    assert_eq!(ask_for(&service, post(&cancel, &[("mcp-session-id", &session)])).await.status, 202);
    assert_eq!(next(&mut body).await, "");
    desk.has_dropped(1).await;
    // Before anything was answered.
    let call = ask_for(&service, post(&legacy_call(1, "wait"), &[("mcp-session-id", &session)]));
    let cancelling = async {
        desk.is_waiting(2).await;
        ask_for(&service, post(&cancel, &[("mcp-session-id", &session)])).await
    };
    let (answer, _) = tokio::join!(call, cancelling);
    assert!(answer.events().is_empty());
    desk.has_dropped(2).await;
}

#[tokio::test]
async fn an_id_is_used_once_at_a_time() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-06-18").await;
    let mut body = post_in(&service, &session, &legacy_call(1, "tell_and_wait")).await;
    let answer = ask_for(&service, post(&legacy_call(1, "steps"), &[("mcp-session-id", &session)])).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    assert_eq!(answer.json()["id"], 1);
    // Another session has ids of its own.
    let other = open(&service, "2025-06-18").await;
    let answer = ask_for(&service, post(&legacy_call(1, "steps"), &[("mcp-session-id", &other)])).await;
    assert_eq!(answer.status, 200);
    desk.gate.notify_one();
    next(&mut body).await;
    next(&mut body).await;
    let answer = ask_for(&service, post(&legacy_call(1, "steps"), &[("mcp-session-id", &session)])).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_legacy_request_goes_on_without_its_client_and_is_taken_up_again() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-11-25").await;
    let mut body = post_in(&service, &session, &legacy_call(1, "tell_and_wait")).await;
    let first = next(&mut body).await;
    assert!(first.starts_with("id: 1-0\nretry: 1000\ndata:\n\nid: 1-1\ndata: {"), "{first}");
    drop(body);
    desk.gate.notify_one();
    let mut again = listen(&service, &session, "1-1").await;
    assert_eq!(next(&mut again).await, "id: 1-1\nretry: 1000\ndata:\n\n");
    let mut rest = Vec::new();
    while rest.len() < 2 {
        rest.extend(messages(&next(&mut again).await));
    }
    assert_eq!(all_shown(&rest), ["notifications/progress", "result 1"]);
    assert_eq!(next(&mut again).await, "");
    assert_eq!(desk.ended.load(Ordering::SeqCst), 1);
    drop(again);
    // Once more from the beginning: what was read is still kept.
    let mut again = listen(&service, &session, "1-0").await;
    let all = next(&mut again).await;
    let expected = ["notifications/progress", "notifications/progress", "result 1"];
    assert_eq!(all_shown(&messages(&all)), expected);
    assert_eq!(next(&mut again).await, "");
}

#[tokio::test]
async fn a_stream_that_is_taken_up_while_it_seems_alive_moves_with_its_handler() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-11-25").await;
    let mut stale = post_in(&service, &session, &legacy_call(1, "tell_and_wait")).await;
    next(&mut stale).await;
    let mut fresh = listen(&service, &session, "1-1").await;
    next(&mut fresh).await;
    assert_eq!(next(&mut stale).await, "");
    desk.gate.notify_one();
    let mut rest = Vec::new();
    while rest.len() < 2 {
        rest.extend(messages(&next(&mut fresh).await));
    }
    assert_eq!(all_shown(&rest), ["notifications/progress", "result 1"]);
}

#[tokio::test]
async fn what_is_not_kept_cannot_be_taken_up() {
    let service = Desk::new().service();
    let (session, other) = (open(&service, "2025-11-25").await, open(&service, "2025-11-25").await);
    let mut body = post_in(&service, &session, &legacy_call(1, "steps")).await;
    while !next(&mut body).await.is_empty() {}
    for (session, id) in [(&session, "9-1"), (&session, "nonsense"), (&other, "1-1")] {
        let headers =
            [("mcp-session-id", session.as_str()), ("accept", "text/event-stream"), ("last-event-id", id)];
        let answer = ask_for(&service, bare("GET", &headers)).await;
        assert_eq!((answer.status, answer.code()), (400, -32600), "{id}");
    }
}

#[tokio::test]
async fn only_revisions_that_know_it_get_an_event_without_data() {
    let service = Desk::new().service();
    for (revision, is_primed) in [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)] {
        let session = open(&service, revision).await;
        let request = post(&legacy_call(1, "steps"), &[("mcp-session-id", &session)]);
        let answer = ask_for(&service, request).await;
        assert_eq!(answer.text.contains("data:\n\n"), is_primed, "{revision}");
        assert_eq!(answer.text.starts_with("id: 1-0\n"), is_primed, "{revision}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_fails_only_its_request() {
    let service = Desk::new().service();
    let session = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str())];
    let answer = ask_for(&service, post(&legacy_call(1, "broken"), &headers)).await;
    assert_eq!((answer.status, answer.code()), (200, -32603));
    assert_eq!(ask_for(&service, post(&legacy_call(1, "steps"), &headers)).await.status, 200);
}

#[tokio::test]
async fn only_one_revision_has_batches() {
    let service = Desk::new().service();
    let add = legacy(1, "tools/call", json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }));
    let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let batch = json!([add, noted, legacy(2, "unknown", json!({})), legacy(3, "ping", json!({}))]);
    for (revision, status) in [("2025-03-26", 200), ("2025-06-18", 400), ("2025-11-25", 400)] {
        let session = open(&service, revision).await;
        let request = raw_post(batch.to_string(), &[("mcp-session-id", &session)]);
        let answer = ask_for(&service, request).await;
        assert_eq!(answer.status, status, "{revision}: {}", answer.text);
        if status == 200 {
            let mut shown = all_shown(answer.json().as_array().unwrap());
            shown.sort();
            assert_eq!(shown, ["error -32601", "result 1", "result 3"]);
        }
    }
}

#[tokio::test]
async fn a_batch_streams_withdraws_and_accepts() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-03-26").await;
    let headers = [("mcp-session-id", session.as_str())];
    // Notifications come as they are, the answers as one array.
    let batch = json!([legacy_call(1, "steps"), legacy_call(2, "wait")]);
    let mut body = send(&service, raw_post(batch.to_string(), &headers)).await.into_body();
    let told = all_shown(&messages(&next(&mut body).await));
    assert_eq!(told, ["notifications/progress", "notifications/progress"]);
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
    let waiting = async {
        // The body runs the handlers while it is read.
        next(&mut body).await
    };
    let cancelling = async {
        desk.is_waiting(1).await;
        ask_for(&service, raw_post(json!([cancel]).to_string(), &headers)).await
    };
    let (last, accepted) = tokio::join!(waiting, cancelling);
    assert_eq!((accepted.status, accepted.text.as_str()), (202, ""));
    assert_eq!(all_shown(messages(&last)[0].as_array().unwrap()), ["result 1"]);
    desk.has_dropped(1).await;
}

//! What a client accepts, and what it then gets.

use serde_json::{Value, json};

use super::desk::{Desk, all_shown, ask_for, bare, call, initialize, modern, modern_post, open, post};

fn steps(id: i64) -> Value {
    let mut message = call(id, "steps", json!({}));
    message["params"]["_meta"]["progressToken"] = id.into();
    message
}

#[tokio::test]
async fn the_form_of_an_answer_is_one_that_is_accepted() {
    let service = Desk::new().service();
    let (json, events, neither) = ("application/json", "text/event-stream", "not acceptable");
    // The header, then the form of an answer with notifications before it, and of one without.
    let rows = [
        ("application/json, text/event-stream", events, json),
        ("text/event-stream, application/json", events, json),
        ("*/*", events, json),
        ("", events, json),
        ("application/json", json, json),
        ("application/*;q=0.9", json, json),
        ("text/event-stream", events, events),
        ("application/json;q=0, */*", events, events),
        ("text/html", neither, neither),
        ("image/*, text/plain", neither, neither),
    ];
    for (accept, told, silent) in rows {
        for (message, form) in [(steps(1), told), (call(1, "add", json!({"a": 1, "b": 2})), silent)] {
            let answer = ask_for(&service, modern_post(&message, &[("accept", accept)])).await;
            if form == neither {
                assert_eq!((answer.status, answer.code()), (406, -32600), "{accept}");
                assert_eq!(answer.json()["id"], 1, "{accept}");
                continue;
            }
            assert_eq!(answer.status, 200, "{accept}");
            assert_eq!(answer.header("content-type"), Some(form), "{accept}");
            let last = if form == json { answer.json() } else { answer.events().pop().unwrap() };
            assert_eq!(last["id"], 1, "{accept}");
        }
    }
}

#[tokio::test]
async fn who_accepts_json_alone_gets_no_notifications() {
    let answer =
        ask_for(&Desk::new().service(), modern_post(&steps(1), &[("accept", "application/json")])).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn an_error_with_a_status_is_json_whatever_is_accepted() {
    let request = modern_post(&modern(1, "unknown/method", json!({})), &[("accept", "text/event-stream")]);
    let answer = ask_for(&Desk::new().service(), request).await;
    assert_eq!((answer.status, answer.code()), (404, -32601));
}

#[tokio::test]
async fn who_listens_accepts_an_event_stream() {
    let message = modern(1, "subscriptions/listen", json!({ "notifications": {} }));
    let request = modern_post(&message, &[("accept", "application/json")]);
    let answer = ask_for(&Desk::new().service(), request).await;
    assert_eq!((answer.status, answer.code()), (406, -32600));
    assert_eq!(answer.json()["id"], 1);
}

#[tokio::test]
async fn a_session_can_be_opened_by_an_event_stream_alone() {
    let service = Desk::new().service();
    let request = post(&initialize("2025-06-18"), &[("accept", "text/event-stream")]);
    let answer = ask_for(&service, request).await;
    assert_eq!(all_shown(&answer.events()), ["result 0"]);
    assert!(answer.header("mcp-session-id").is_some());
}

#[tokio::test]
async fn the_stream_of_a_session_must_be_accepted() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    let request = bare("GET", &[("accept", "application/json"), ("mcp-session-id", &id)]);
    assert_eq!(ask_for(&service, request).await.status, 406);
}

//! Legacy sessions: how they are opened, found and ended.

use std::time::Duration;

use diglot::http::HttpService;
use diglot::server::SessionLimits;
use serde_json::{Value, json};

use super::desk::{
    Desk, all_shown, ask_for, bare, initialize, legacy, legacy_call, messages, next, open, post, send,
};

fn list(id: i64) -> Value {
    legacy(id, "tools/list", json!({}))
}

async fn status(service: &HttpService, session: &str) -> u16 {
    ask_for(service, post(&list(1), &[("mcp-session-id", session)])).await.status
}

#[tokio::test]
async fn initialize_opens_a_session_that_answers_calls() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    assert!(id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let headers = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = ask_for(&service, post(&noted, &headers)).await;
    assert_eq!((answer.status, answer.text.as_str()), (202, ""));
    let call = legacy(1, "tools/call", json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }));
    let answer = ask_for(&service, post(&call, &headers)).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "3");
    assert_eq!(answer.json()["result"]["resultType"], json!(null));
}

#[tokio::test]
async fn a_request_names_a_session_that_is_open() {
    let service = Desk::new().service();
    let answer = ask_for(&service, post(&list(5), &[])).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    assert_eq!(answer.json()["error"]["message"], "Bad Request: Mcp-Session-Id header is required");
    assert_eq!(answer.json()["id"], 5);
    let answer = ask_for(&service, post(&list(5), &[("mcp-session-id", "nope")])).await;
    assert_eq!((answer.status, answer.code()), (404, -32600));
    assert_eq!(answer.json()["error"]["message"], "Session not found");
    assert_eq!(answer.json()["id"], 5);
    for verb in ["GET", "DELETE"] {
        let accept = ("accept", "text/event-stream");
        assert_eq!(ask_for(&service, bare(verb, &[accept])).await.status, 400, "{verb}");
        let headers = [accept, ("mcp-session-id", "nope")];
        assert_eq!(ask_for(&service, bare(verb, &headers)).await.status, 404, "{verb}");
    }
}

#[tokio::test]
async fn errors_of_the_legacy_era_come_in_a_success() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    for (method, params, code) in [
        ("unknown/method", json!({}), -32601),
        ("tools/call", json!({ "name": "nope" }), -32602),
        ("resources/read", json!({ "uri": "test://nope" }), -32002),
    ] {
        let request = post(&legacy(1, method, params), &[("mcp-session-id", &id)]);
        let answer = ask_for(&service, request).await;
        assert_eq!((answer.status, answer.code()), (200, code), "{method}");
    }
}

#[tokio::test]
async fn the_header_of_a_legacy_request_names_a_revision_that_is_served() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    for (version, status) in [("2025-11-25", 200), ("2025-06-18", 200), ("1999-01-01", 400), ("x, y", 400)] {
        let request = post(&list(1), &[("mcp-session-id", &id), ("mcp-protocol-version", version)]);
        assert_eq!(ask_for(&service, request).await.status, status, "{version}");
    }
}

#[tokio::test]
async fn delete_ends_a_session_and_all_that_is_under_way() {
    let desk = Desk::new();
    let service = desk.service();
    let id = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", id.as_str()), ("accept", "text/event-stream")];
    let mut stream = send(&service, bare("GET", &headers)).await.into_body();
    assert_eq!(next(&mut stream).await, ": \n\n");
    let mut telling = send(&service, post(&legacy_call(1, "tell_and_wait"), &headers)).await.into_body();
    assert_eq!(all_shown(&messages(&next(&mut telling).await)), ["notifications/progress"]);
    let ended = ask_for(&service, bare("DELETE", &headers)).await;
    assert_eq!((ended.status, ended.text.as_str()), (204, ""));
    assert_eq!((next(&mut stream).await, next(&mut telling).await), (String::new(), String::new()));
    desk.has_dropped(1).await;
    assert_eq!(status(&service, &id).await, 404);
}

#[tokio::test]
async fn a_session_is_good_for_its_principal_only() {
    let service = Desk::new()
        .service()
        .principal_from(|parts| Some(parts.headers.get("authorization")?.to_str().ok()?.to_owned()));
    let request = post(&initialize("2025-11-25"), &[("authorization", "ada")]);
    let id = ask_for(&service, request).await.header("mcp-session-id").unwrap().to_owned();
    for (principal, status) in [("ada", 200), ("bob", 404), ("", 404)] {
        let headers = [("mcp-session-id", id.as_str()), ("authorization", principal)];
        assert_eq!(ask_for(&service, post(&list(1), &headers)).await.status, status, "{principal}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_uses_expires() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    for _ in 0..4 {
        tokio::time::advance(Duration::from_secs(29 * 60)).await;
        assert_eq!(status(&service, &id).await, 200);
    }
    tokio::time::advance(Duration::from_secs(31 * 60)).await;
    assert_eq!(status(&service, &id).await, 404);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_stream_is_open_does_not_expire() {
    let desk = Desk::new();
    let service = desk.service();
    let id = open(&service, "2025-11-25").await;
    let headers = [("mcp-session-id", id.as_str()), ("accept", "text/event-stream")];
    let stream = send(&service, bare("GET", &headers)).await;
    tokio::time::advance(Duration::from_secs(10 * 3600)).await;
    assert_eq!(status(&service, &id).await, 200);
    tokio::time::advance(Duration::from_secs(10 * 3600)).await;
    // The time begins anew when the stream ends.
    drop(stream);
    tokio::time::advance(Duration::from_secs(29 * 60)).await;
    assert_eq!(status(&service, &id).await, 200);
}

#[tokio::test(start_paused = true)]
async fn past_the_limit_the_session_that_was_idle_longest_gives_way() {
    let service = Desk::new().service().sessions(SessionLimits::default().sessions(3));
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(open(&service, "2025-11-25").await);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    // The first is in use, the second is the idlest.
    let headers = [("mcp-session-id", ids[0].as_str()), ("accept", "text/event-stream")];
    let stream = send(&service, bare("GET", &headers)).await;
    tokio::time::advance(Duration::from_secs(1)).await;
    ids.push(open(&service, "2025-11-25").await);
    let mut found = Vec::new();
    for id in &ids {
        found.push(status(&service, id).await);
    }
    assert_eq!(found, [200, 404, 200, 200]);
    drop(stream);
}

#[tokio::test]
async fn where_all_sessions_are_in_use_none_is_opened() {
    let service = Desk::new().service().sessions(SessionLimits::default().sessions(1));
    let id = open(&service, "2025-11-25").await;
    let headers = [("mcp-session-id", id.as_str()), ("accept", "text/event-stream")];
    let stream = send(&service, bare("GET", &headers)).await;
    let answer = ask_for(&service, post(&initialize("2025-11-25"), &[])).await;
    assert_eq!((answer.status, answer.code()), (503, -32603));
    drop(stream);
    assert_eq!(ask_for(&service, post(&initialize("2025-11-25"), &[])).await.status, 200);
}

#[tokio::test]
async fn without_sessions_each_legacy_request_stands_alone() {
    let service = Desk::new().service().stateless_legacy();
    let answer = ask_for(&service, post(&initialize("2025-11-25"), &[])).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(ask_for(&service, post(&noted, &[])).await.status, 202);
    assert_eq!(ask_for(&service, post(&list(1), &[])).await.status, 200);
    let answer = ask_for(&service, post(&legacy_call(1, "ask"), &[])).await;
    assert_eq!(answer.json()["result"]["isError"], true);
    let answer = ask_for(&service, post(&legacy_call(1, "steps"), &[])).await;
    let events = all_shown(&answer.events());
    assert_eq!(events, ["notifications/progress", "notifications/progress", "result 1"]);
    for verb in ["GET", "DELETE"] {
        let answer = ask_for(&service, bare(verb, &[("mcp-session-id", "x")])).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{verb}");
    }
}

#[tokio::test]
async fn without_the_legacy_era_there_are_no_sessions() {
    let service = Desk::new().server.eras(diglot::server::Eras::Modern).into_http_service();
    for verb in ["GET", "DELETE"] {
        let answer = ask_for(&service, bare(verb, &[("mcp-session-id", "x")])).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{verb}");
    }
    let answer = ask_for(&service, post(&initialize("2025-11-25"), &[])).await;
    assert_eq!((answer.status, answer.code()), (400, -32022));
    let request = super::desk::modern_post(
        &super::desk::modern(1, "tools/list", json!({})),
        &[("mcp-session-id", "nope"), ("last-event-id", "1-1")],
    );
    assert_eq!(ask_for(&service, request).await.status, 200);
}

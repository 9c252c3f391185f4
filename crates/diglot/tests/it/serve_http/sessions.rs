//! Legacy sessions.

use serde_json::json;

use super::desk::{Desk, ask_for, bare, legacy, open, post};

#[tokio::test]
async fn initialize_opens_a_session_that_answers_calls() {
    let service = Desk::new().service();
    let id = open(&service, "2025-11-25").await;
    assert!(id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let headers = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(ask_for(&service, post(&noted, &headers)).await.status, 202);
    let call = legacy(1, "tools/call", json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }));
    let answer = ask_for(&service, post(&call, &headers)).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "3");
    assert_eq!(answer.json()["result"]["resultType"], json!(null));
}

#[tokio::test]
async fn a_request_names_a_session_that_is_open() {
    let service = Desk::new().service();
    let list = legacy(5, "tools/list", json!({}));
    let answer = ask_for(&service, post(&list, &[])).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    assert_eq!(answer.json()["error"]["message"], "Bad Request: Mcp-Session-Id header is required");
    assert_eq!(answer.json()["id"], 5);
    let answer = ask_for(&service, post(&list, &[("mcp-session-id", "nope")])).await;
    assert_eq!((answer.status, answer.code()), (404, -32600));
    assert_eq!(answer.json()["error"]["message"], "Session not found");
    let id = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", id.as_str())];
    assert_eq!(ask_for(&service, post(&list, &headers)).await.status, 200);
    assert_eq!(ask_for(&service, bare("DELETE", &headers)).await.status, 204);
    assert_eq!(ask_for(&service, post(&list, &headers)).await.status, 404);
}

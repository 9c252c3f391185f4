//! Requests of the modern era, each by itself.

use serde_json::{Value, json};

use super::desk::{Desk, all_shown, ask_for, bare, call, modern, modern_post, post, raw_post};

#[tokio::test]
async fn a_call_is_answered_with_json() {
    let answer =
        ask_for(&Desk::new().service(), modern_post(&call(7, "add", json!({"a": 1, "b": 2})), &[])).await;
    assert_eq!(answer.status, 200);
    let json = answer.json();
    assert_eq!(json["id"], 7);
    assert_eq!(json["result"]["content"][0]["text"], "3");
    assert_eq!(json["result"]["resultType"], "complete");
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[tokio::test]
async fn what_precedes_a_result_makes_it_a_stream() {
    let mut message = call(1, "steps", json!({}));
    message["params"]["_meta"]["progressToken"] = "p".into();
    let answer = ask_for(&Desk::new().service(), modern_post(&message, &[])).await;
    assert_eq!(answer.status, 200);
    let events = answer.events();
    assert_eq!(all_shown(&events), ["notifications/progress", "notifications/progress", "result 1"]);
    assert_eq!(answer.header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    // Streams of the modern era cannot be resumed, and say so by having no ids.
    assert!(!answer.text.contains("id: "), "{}", answer.text);
}

/// A name, a message with its headers, and the status and code of the answer.
type Row = (&'static str, Value, &'static [(&'static str, &'static str)], u16, i64);

#[tokio::test]
async fn statuses_and_codes_of_the_modern_era() {
    let service = Desk::new().service();
    let unknown = modern(1, "unknown/method", json!({}));
    let removed = modern(1, "logging/setLevel", json!({}));
    let mut bare_envelope = modern(1, "tools/list", json!({}));
    bare_envelope["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let mut future = modern(1, "tools/list", json!({}));
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "v999.0.0".into();
    let mut unable = call(1, "ask", json!({}));
    unable["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let region = call(1, "region", json!({ "region": "eu" }));
    let rows: [Row; 11] = [
        ("discover", modern(1, "server/discover", json!({})), &[], 200, 0),
        ("unknown method", unknown, &[], 404, -32601),
        ("removed method", removed, &[], 404, -32601),
        ("no capabilities", bare_envelope, &[], 400, -32602),
        ("unknown version", future, &[("mcp-protocol-version", "v999.0.0")], 400, -32022),
        (
            "other version",
            modern(1, "tools/list", json!({})),
            &[("mcp-protocol-version", "2025-11-25")],
            400,
            -32020,
        ),
        ("no method", modern(1, "tools/list", json!({})), &[("mcp-method", "")], 400, -32020),
        ("no capability for it", unable, &[], 400, -32021),
        ("unknown tool", call(1, "nope", json!({})), &[], 200, -32602),
        ("parameter not mirrored", region.clone(), &[], 400, -32020),
        ("parameter mirrored", region, &[("mcp-param-region", "eu")], 200, 0),
    ];
    for (name, message, headers, status, code) in rows {
        let answer = ask_for(&service, modern_post(&message, headers)).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{name}: {}", answer.text);
        assert_eq!(answer.json()["id"], 1, "{name}");
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused_in_the_words_of_the_protocol() {
    let service = Desk::new().service();
    let rows = [
        ("not JSON", raw_post("{", &[]), 400, -32700),
        ("no message", raw_post("7", &[]), 400, -32600),
        ("a modern batch", raw_post(format!("[{}]", modern(1, "ping", json!({}))), &[]), 400, -32600),
        ("another type", raw_post("{}", &[("content-type", "text/plain")]), 415, -32600),
        ("another verb", bare("PUT", &[]), 405, -32600),
        ("preflight", bare("OPTIONS", &[]), 405, -32600),
    ];
    for (name, request, status, code) in rows {
        let answer = ask_for(&service, request).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{name}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_content_type_may_have_parameters_and_any_case() {
    let message = call(1, "add", json!({"a": 1, "b": 2}));
    for content_type in ["application/json; charset=utf-8", "Application/JSON", ""] {
        let request = modern_post(&message, &[("content-type", content_type)]);
        assert_eq!(ask_for(&Desk::new().service(), request).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn a_notification_is_accepted_without_a_body() {
    let message =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let request = post(&message, &[("mcp-protocol-version", "2026-07-28")]);
    let answer = ask_for(&Desk::new().service(), request).await;
    assert_eq!((answer.status, answer.text.as_str()), (202, ""));
}

#[tokio::test]
async fn the_head_of_the_request_reaches_the_handler() {
    let service = Desk::new()
        .service()
        .principal_from(|parts| Some(parts.headers.get("authorization")?.to_str().ok()?.to_owned()));
    let headers = [("user-agent", "tester"), ("authorization", "ada")];
    let answer = ask_for(&service, modern_post(&call(1, "caller", json!({})), &headers)).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "tester as ada");
}

#[tokio::test]
async fn a_handler_that_panics_fails_only_its_request() {
    let service = Desk::new().service();
    let answer = ask_for(&service, modern_post(&call(1, "broken", json!({})), &[])).await;
    assert_eq!((answer.status, answer.code()), (200, -32603));
    let answer = ask_for(&service, modern_post(&call(2, "add", json!({"a": 1, "b": 2})), &[])).await;
    assert_eq!(answer.json()["id"], 2);
}

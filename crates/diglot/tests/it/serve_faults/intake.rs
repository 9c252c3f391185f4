//! No bytes harm a server: heads and bodies that are drawn at random, and good ones with a few bytes changed.

use proptest::prelude::*;
use serde_json::json;

use super::whole::{over_a_pipe, over_http, request, server};
use crate::serve_http::desk::{initialize, legacy, modern};

/// Messages that go deep into the server before they are changed.
fn good() -> Vec<String> {
    let call = json!({ "name": "echo", "arguments": { "region": "here" }, "_meta": { "progressToken": 1 } });
    let mut messages = vec![initialize("2025-03-26"), initialize("2025-11-25")];
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({ "cursor": "00" })),
        ("tools/call", call),
        ("tools/call", json!({ "name": "ask", "requestState": "00", "inputResponses": { "roots": {} } })),
        ("resources/read", json!({ "uri": "memo://1" })),
        ("prompts/get", json!({ "name": "greet", "arguments": { "who": "me" } })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": { "name": "who", "value": "" } }),
        ),
        ("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })),
        ("logging/setLevel", json!({ "level": "debug" })),
    ] {
        messages.extend([modern(1, method, params.clone()), legacy(1, method, params)]);
    }
    let notified =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    messages.push(json!([legacy(1, "ping", json!({})), notified]));
    messages.into_iter().map(|message| message.to_string()).collect()
}

/// A good message of which a few bytes are replaced, or any bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let changed = (prop::sample::select(good()), changes).prop_map(|(text, changes)| {
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    });
    prop_oneof![6 => changed, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

/// The values of headers, good ones more often than not.
fn head() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    let known: Vec<&str> = vec![
        "localhost",
        "http://localhost",
        "application/json",
        "text/event-stream",
        "*/*;q=0.1",
        "application/json, text/event-stream",
        "2026-07-28",
        "2025-11-25",
        "2025-03-26",
        "tools/call",
        "echo",
        "server/discover",
        "here",
        "=?base64?aGVyZQ==?=",
        "0-0",
        "evil.example",
    ];
    let value = prop_oneof![
        4 => prop::sample::select(known).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec((any::<u8>(), value), 0..8)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(test);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_head_and_no_body_harm_a_server(choice: u8, method: u8, head in head(), body in text()) {
        let head: Vec<(u8, &[u8])> = head.iter().map(|(place, value)| (*place, value.as_slice())).collect();
        if let Some(request) = request(method, &head, &body) {
            run(async {
                over_http(server(choice).into_http_service(), request).await;
            });
        }
    }

    #[test]
    fn no_body_with_its_good_head_harms_a_server(choice: u8, body in text()) {
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let named = message["params"]["name"].as_str().or(message["params"]["uri"].as_str()).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        let mut head: Vec<(u8, &[u8])> =
            vec![(0, b"localhost"), (2, b"application/json, text/event-stream"), (3, b"application/json")];
        if message["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some() {
            head.extend([(4, b"2026-07-28".as_slice()), (5, method.as_bytes()), (6, named.as_bytes())]);
        }
        if let Some(request) = request(7, &head, &body) {
            run(async {
                over_http(server(choice).into_http_service(), request).await;
            });
        }
    }

    #[test]
    fn no_lines_harm_a_pipe(choice: u8, lines in prop::collection::vec(text(), 0..6)) {
        run(over_a_pipe(server(choice), &lines.join(&b'\n')));
    }
}

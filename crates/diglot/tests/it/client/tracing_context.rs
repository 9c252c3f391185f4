//! The trace context that the host gives: in every request, in both eras, and what a server reads of it.

use std::sync::atomic::{AtomicU32, Ordering};

use diglot::client::TraceContext;
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization, tools};

fn context(number: u32) -> TraceContext {
    let parent = format!("00-0af7651916cd43dd8448eb211c80319c-{number:016x}-01");
    let context = TraceContext::new(parent).unwrap().with_tracestate("vendor=a1").unwrap();
    context.with_baggage("user=alice").unwrap()
}

#[tokio::test]
async fn every_request_carries_the_trace_context_of_its_moment_in_both_eras() {
    for mode in [diglot::Mode::Modern, diglot::Mode::Legacy] {
        let server = Scripted::new(|method, message| match method {
            "server/discover" => Reply::result(&discovery()),
            "initialize" => Reply::result(&initialization()),
            _ => tools(method, message),
        });
        let count = AtomicU32::new(0);
        let builder =
            builder().mode(mode).trace_context(move || context(count.fetch_add(1, Ordering::Relaxed) + 1));
        let client = server.connect(builder).await.unwrap();
        client.list_tools().await.unwrap();
        client.call_tool("echo", json!({"a": 1})).on_progress(|_| {}).await.unwrap();
        let sent: Vec<Value> = server.saw.lock().unwrap().clone();
        let requests: Vec<&Value> = sent.iter().filter(|message| message.get("id").is_some()).collect();
        assert_eq!(requests.len(), 3);
        for (number, request) in (1..).zip(requests) {
            let meta = &request["params"]["_meta"];
            assert_eq!(meta["traceparent"], context(number).traceparent().unwrap(), "{request}");
            assert_eq!((&meta["tracestate"], &meta["baggage"]), (&json!("vendor=a1"), &json!("user=alice")));
        }
    }
}

#[tokio::test]
async fn a_request_with_a_trace_context_of_its_own_keeps_it() {
    let server = Scripted::modern();
    let client = server.connect(builder().trace_context(|| context(1))).await.unwrap();
    let own = context(2).traceparent().unwrap().to_owned();
    client.call_tool("echo", json!({})).meta("traceparent", &own).await.unwrap();
    let meta = server.sent("tools/call")[0]["params"]["_meta"].clone();
    assert_eq!((&meta["traceparent"], &meta["baggage"]), (&json!(own), &json!("user=alice")));
}

#[tokio::test]
async fn who_does_not_ask_for_it_sends_none() {
    let server = Scripted::legacy();
    let client = server.connect(builder()).await.unwrap();
    client.call_tool("echo", json!({})).await.unwrap();
    assert!(server.sent("tools/call")[0]["params"].get("_meta").is_none());
}

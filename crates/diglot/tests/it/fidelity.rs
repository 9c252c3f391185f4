//! What a program sends and gets arrives as it was written, over every wire and in both eras.

use diglot::client::TraceContext;
use diglot::server::Server;
use diglot::types::ToolResult;
use diglot::{Client, Context, Mode, Tool};
use serde_json::value::RawValue;

use crate::wires::WIRES;

const EXACT: &str = r#"{"z":9007199254740993,"a":1.0,"b":-0,"c":1e2,"d":"\u00e9\/\ud83d\ude00","e":[1,2.50,null],"a":2,"big":123456789012345678901234567890,"":{"y":1,"x":2}}"#;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Gives its arguments back as structured content, with a `_meta` and a member that no type knows.
async fn echo(arguments: Box<RawValue>, cx: Context) -> ToolResult {
    let mut result = ToolResult::from("echo").structured(arguments);
    result.meta = Some(raw(r#"{"example.org/exact":1.0}"#));
    result.extra.insert("example", raw(r#"[9007199254740993]"#));
    if let Some(parent) = cx.trace_context().traceparent() {
        result.extra.insert("parent", serde_json::value::to_raw_value(parent).unwrap());
    }
    result
}

fn server() -> Server {
    Server::new("exact", "1").tool(Tool::raw("echo", raw(r#"{"type":"object"}"#), echo))
}

#[tokio::test]
async fn arguments_and_results_arrive_byte_for_byte_over_every_wire_in_both_eras() {
    for wire in WIRES {
        for mode in [Mode::Modern, Mode::Legacy] {
            let (client, _kept) = (wire.connect)(Client::builder("tests", "1").mode(mode), server()).await;
            let client = client.unwrap();
            let result = client.call_tool("echo", raw(EXACT)).await.unwrap();
            assert_eq!(result.structured.as_ref().unwrap().get(), EXACT, "{}", wire.name);
            let meta = result.meta.as_ref().unwrap().get();
            assert!(meta.contains(r#""example.org/exact":1.0"#), "{}: {meta}", wire.name);
            assert_eq!(result.extra.find("example").unwrap().get(), "[9007199254740993]", "{}", wire.name);
            assert!(result.raw.as_ref().unwrap().get().contains(EXACT), "{}", wire.name);
        }
    }
}

#[tokio::test]
async fn a_handler_sees_the_trace_context_of_its_caller_over_every_wire_in_both_eras() {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    for wire in WIRES {
        for mode in [Mode::Modern, Mode::Legacy] {
            let builder = Client::builder("tests", "1").mode(mode);
            let builder = builder.trace_context(|| TraceContext::new(PARENT).unwrap());
            let (client, _kept) = (wire.connect)(builder, server()).await;
            let result = client.unwrap().call_tool("echo", raw("{}")).await.unwrap();
            let parent: String = serde_json::from_str(result.extra.find("parent").unwrap().get()).unwrap();
            assert_eq!(parent, PARENT, "{}", wire.name);
        }
    }
}

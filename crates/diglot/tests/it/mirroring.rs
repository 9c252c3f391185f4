//! Arguments that are mirrored into headers, from our client to our server and to scripted ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use diglot::error::Violation;
use diglot::http::HttpServer;
use diglot::server::Server;
use diglot::{Client, Context, Error, Limits, StreamableHttp, Tool};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::site;

const SCHEMA: &str = r#"{"type":"object","properties":{"region":{"type":["string","null"],"x-mcp-header":"Region"},
    "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"Count"}}},
    "flag":{"type":"boolean","x-mcp-header":"Flag"},"plain":{"type":"string"}}}"#;

/// Returns the mirrored headers of its request.
async fn told(_: Box<RawValue>, cx: Context) -> String {
    let parts = cx.http_parts().unwrap();
    let mirrored = parts.headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-param-"));
    let mut lines: Vec<String> =
        mirrored.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    lines.sort();
    lines.join("\n")
}

async fn connect(limits: Limits) -> (Client, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let count = calls.clone();
    let schema = RawValue::from_string(SCHEMA.to_owned()).unwrap();
    let tool = Tool::raw("told", schema, move |arguments: Box<RawValue>, cx: Context| {
        count.fetch_add(1, Ordering::Relaxed);
        told(arguments, cx)
    });
    let server = Server::new("mirror", "1").tool(tool);
    let listener = HttpServer::bind(server, ([127, 0, 0, 1], 0)).await.unwrap();
    let transport = StreamableHttp::new(&listener.url()).unwrap();
    tokio::spawn(listener.serve());
    let client = Client::builder("tests", "1").limits(limits).connect(transport).await.unwrap();
    (client, calls)
}

#[tokio::test]
async fn the_arguments_of_a_listed_tool_are_mirrored() {
    let (client, _) = connect(Limits::default()).await;
    assert_eq!(client.list_tools().await.unwrap().len(), 1);
    let arguments = json!({"region": " ü", "deep": {"n": -7}, "flag": true, "plain": "x"});
    assert_eq!(
        client.call_tool("told", arguments).await.unwrap().text(),
        "mcp-param-count: -7\nmcp-param-flag: true\nmcp-param-region: =?base64?IMO8?="
    );
    let arguments = json!({"region": null, "flag": false});
    assert_eq!(client.call_tool("told", arguments).await.unwrap().text(), "mcp-param-flag: false");
    assert_eq!(client.call_tool("told", ()).await.unwrap().text(), "");
    let error =
        client.call_tool("told", json!({"deep": {"n": 9_007_199_254_740_993_i64}})).await.unwrap_err();
    assert!(matches!(error, Error::Arguments(_)), "{error:?}");
}

#[tokio::test]
async fn a_tool_that_was_never_listed_is_listed_when_its_server_wants_headers() {
    // With no room to remember the tool, it is looked up for every call.
    for limits in [Limits::default(), Limits::default().known_tool_bytes(0)] {
        let (client, calls) = connect(limits).await;
        for _ in 0..2 {
            let result = client.call_tool("told", json!({"region": "eu"})).await.unwrap();
            assert_eq!(result.text(), "mcp-param-region: eu");
        }
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }
}

fn answer(message: &Value, result: Value) -> site::Reply {
    site::json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

fn refusal(message: &Value) -> site::Reply {
    let body =
        json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32020, "message": "mismatch"}})
            .to_string();
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n";
    site::Reply::Then(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

fn discovery() -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private"})
}

#[tokio::test]
async fn a_call_that_is_refused_for_its_headers_is_made_once_more_and_only_with_other_headers() {
    let (calls, lists) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (calling, listing) = (calls.clone(), lists.clone());
    let address = site::serve(move |message| match message["method"].as_str() {
        Some("server/discover") => answer(&message, discovery()),
        Some("tools/list") => {
            listing.fetch_add(1, Ordering::Relaxed);
            let schema = serde_json::from_str::<Value>(SCHEMA).unwrap();
            let tools = json!([{"name": "told", "inputSchema": schema}]);
            answer(
                &message,
                json!({"resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public"}),
            )
        }
        _ => {
            calling.fetch_add(1, Ordering::Relaxed);
            refusal(&message)
        }
    })
    .await;
    let client = Client::builder("tests", "1").connect(StreamableHttp::new(&address).unwrap()).await.unwrap();
    for (all_calls, all_lists) in [(2, 1), (3, 2)] {
        let error = client.call_tool("told", json!({"region": "eu"})).await.unwrap_err();
        assert!(matches!(&error, Error::Rpc(error) if error.code == -32020), "{error:?}");
        assert_eq!((calls.load(Ordering::Relaxed), lists.load(Ordering::Relaxed)), (all_calls, all_lists));
    }
}

#[tokio::test]
async fn a_tool_whose_annotations_break_a_rule_is_left_out_and_not_called() {
    let calls = Arc::new(AtomicU32::new(0));
    let calling = calls.clone();
    let address = site::serve(move |message| match message["method"].as_str() {
        Some("server/discover") => answer(&message, discovery()),
        Some("tools/list") => {
            let tool = |name: &str, header: &str| {
                let property = json!({"type": "string", "x-mcp-header": header});
                json!({"name": name, "inputSchema": {"type": "object", "properties": {"a": property}}})
            };
            let tools = [tool("good", "A"), tool("bad", "A b")];
            answer(&message, json!({"resultType": "complete", "tools": tools}))
        }
        _ => {
            calling.fetch_add(1, Ordering::Relaxed);
            answer(&message, json!({"resultType": "complete", "content": []}))
        }
    })
    .await;
    let client = Client::builder("tests", "1").connect(StreamableHttp::new(&address).unwrap()).await.unwrap();
    let list = client.list_tools().await.unwrap();
    assert_eq!((list.len(), list.left_out.len()), (1, 1));
    let told = list.left_out[0].to_string();
    assert!(told.contains("\"bad\" (item 1)") && told.contains("x-mcp-header"), "{told}");
    let error = client.call_tool("bad", json!({"a": "x"})).await.unwrap_err();
    assert!(
        matches!(&error, Error::Protocol(detail) if matches!(detail.violation, Violation::UnusableTool(_))),
        "{error:?}"
    );
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    client.call_tool("good", json!({"a": "x"})).await.unwrap();
}

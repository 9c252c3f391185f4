//! Structured results against the output schemas of their tools.

use diglot::error::Violation;
use diglot::{Client, Error, Mode};
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization};

/// A server whose tool returns its arguments as the result, and promises an integer `n`.
fn server(schema: &Value) -> Scripted {
    let schema = schema.clone();
    Scripted::new(move |method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        "initialize" => Reply::result(&initialization()),
        "tools/list" => {
            let input = json!({"type": "object", "properties": {"a": {"type": "null", "x-mcp-header": "not over a pipe"}}});
            Reply::result(&json!({"tools": [{"name": "t", "inputSchema": input, "outputSchema": schema}]}))
        }
        "tools/call" => Reply::result(&message["params"]["arguments"]),
        _ => Reply::Silence,
    })
}

fn promise() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
}

fn unfit(error: &Error) -> bool {
    matches!(error, Error::Protocol(detail) if matches!(detail.violation, Violation::Unfit(_)))
}

async fn listed(schema: &Value, mode: Mode) -> Client {
    let client = server(schema).connect(builder().mode(mode)).await.unwrap();
    // Annotations for headers mean nothing on a pipe, and none is left out for them.
    assert_eq!(client.list_tools().await.unwrap().len(), 1);
    client
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_an_error_unless_the_call_takes_it_all_the_same() {
    for mode in [Mode::Modern, Mode::Legacy] {
        let client = listed(&promise(), mode).await;
        let good = json!({"content": [], "structuredContent": {"n": 1}});
        client.call_tool("t", good).await.unwrap();
        let bad = json!({"content": [], "structuredContent": {"n": "one"}});
        let error = client.call_tool("t", bad.clone()).await.unwrap_err();
        assert!(unfit(&error) && error.to_string().contains("at /n"), "{error}");
        assert!(client.call_tool("t", bad).check_output(false).await.unwrap().structured.is_some());
        let failed = json!({"content": [], "isError": true});
        assert!(client.call_tool("t", failed).await.unwrap().is_error);
    }
}

#[tokio::test]
async fn a_modern_result_without_what_was_promised_does_not_fit_either() {
    let nothing = json!({"content": []});
    let error = listed(&promise(), Mode::Modern).await.call_tool("t", nothing.clone()).await.unwrap_err();
    assert!(unfit(&error), "{error}");
    listed(&promise(), Mode::Legacy).await.call_tool("t", nothing).await.unwrap();
}

#[tokio::test]
async fn nothing_is_checked_that_was_not_listed_or_that_the_host_does_not_want_checked() {
    let bad = json!({"content": [], "structuredContent": {"n": "one"}});
    let server = server(&promise());
    server.connect(builder()).await.unwrap().call_tool("t", bad.clone()).await.unwrap();
    let client = server.connect(builder().check_output(false)).await.unwrap();
    client.list_tools().await.unwrap();
    client.call_tool("t", bad).await.unwrap();
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_checks_nothing() {
    let result = json!({"content": [], "structuredContent": {"n": "one"}});
    for schema in [json!({"$ref": "https://example.invalid/s.json"}), json!({"type": 7})] {
        listed(&schema, Mode::Modern).await.call_tool("t", result.clone()).await.unwrap();
    }
}

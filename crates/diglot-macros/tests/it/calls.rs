//! Calls of tools through a server.

use diglot::{Context, Server, Tool, ToolError, tool};
use serde_json::json;

use super::stage::call;

fn offering(tool: Tool) -> Server {
    Server::new("t", "0").tool(tool)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[tool]
async fn divide(Pair { a, b }: Pair) -> Result<i64, ToolError> {
    a.checked_div(b).ok_or_else(|| ToolError::new("cannot divide by zero"))
}

#[tokio::test]
async fn a_result_and_a_failure_reach_the_client() {
    assert_eq!(call(offering(divide::tool()), "divide", json!({ "a": 12, "b": 4 })).await, "3");
    let failed = call(offering(divide::tool()), "divide", json!({ "a": 12, "b": 0 })).await;
    assert_eq!(failed, "failed: cannot divide by zero");
}

#[tool]
async fn wave(
    name: Option<String>,
    cx: Context,
    mut times: usize,
    #[expect(unused_variables, reason = "it is left out")] tone: Option<u8>,
) -> String {
    times += 1;
    format!("{} to {} from {}", "👋".repeat(times), name.as_deref().unwrap_or("all"), cx.era())
}

#[tokio::test]
async fn the_context_may_stand_anywhere_and_options_may_be_left_out() {
    let waved = call(offering(wave::tool()), "wave", json!({ "times": 1 })).await;
    assert_eq!(waved, "👋👋 to all from modern");
    let waved = call(offering(wave::tool()), "wave", json!({ "times": 0, "name": "Ada" })).await;
    assert_eq!(waved, "👋 to Ada from modern");
}

#[tool]
fn at_once(text: String) -> usize {
    text.len()
}

#[tokio::test]
async fn a_function_need_not_be_async() {
    assert_eq!(call(offering(at_once::tool()), "at_once", json!({ "text": "four" })).await, "4");
}

#[tokio::test]
async fn an_argument_that_does_not_fit_is_told_with_its_place() {
    let failed = call(offering(at_once::tool()), "at_once", json!({ "text": 4 })).await;
    assert!(failed.starts_with("failed: ") && failed.contains("at /text"), "{failed}");
}

#[tokio::test]
async fn the_function_stays_what_it_was() {
    assert_eq!(at_once("four".to_owned()), 4);
    assert_eq!(divide(Pair { a: 12, b: 4 }).await.unwrap(), 3);
}

#[tokio::test]
async fn a_function_in_a_function_is_a_tool_too() {
    #[tool]
    async fn tool(a: i64) -> i64 {
        -a
    }
    assert_eq!(call(offering(tool::tool()), "tool", json!({ "a": 1 })).await, "-1");
}

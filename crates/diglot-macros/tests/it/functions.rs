//! Functions that stand alone.

use diglot::{Context, Server, ToolError, prompt, tool};

/// Adds two integers.
#[tool]
async fn add(
    /// The first.
    a: i64,
    /// The second.
    b: Option<i64>,
) -> i64 {
    a + b.unwrap_or_default()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

/// Divides.
#[tool(title = "Division", read_only, destructive = false)]
async fn divide(Pair { a, b }: Pair, cx: Context) -> Result<i64, ToolError> {
    let _ = cx;
    a.checked_div(b).ok_or_else(|| ToolError::new("cannot divide by zero"))
}

#[tool]
fn whole(cx: Context, #[args] pair: Pair) -> i64 {
    let _ = cx;
    pair.a * pair.b
}

/// Greets somebody.
#[prompt]
async fn greet(
    /// Who.
    name: String,
    times: Option<u32>,
) -> String {
    format!("{name} {times:?}")
}

#[test]
fn it_registers() {
    let server = Server::new("a", "1")
        .tool(add::tool())
        .tool(divide::tool())
        .tool(whole::tool())
        .prompt(greet::prompt());
    assert_eq!(format!("{server:?}"), r#"Server { tools: ["add", "divide", "whole"], .. }"#);
}

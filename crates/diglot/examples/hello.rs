//! Two tools over stdin and stdout. Try them: `cargo run -p diglot-cli -- call divide a=6 b=3 -- cargo run -q -p diglot
//! --example hello`.

use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

async fn add(Pair { a, b }: Pair, _: Context) -> i64 {
    a.saturating_add(b)
}

async fn divide(Pair { a, b }: Pair, _: Context) -> Result<i64, ToolError> {
    a.checked_div(b).ok_or_else(|| ToolError::new("cannot divide by zero"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("hello", "1.0.0")
        .tool(Tool::new("add", add).description("Adds two integers"))
        .tool(Tool::new("divide", divide).description("Divides two integers"));
    Ok(server.serve_stdio().await?)
}

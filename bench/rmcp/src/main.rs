//! Fifty tools on rmcp 3.11.0.
//!
//! `http [--json]`, `stdio` or `pipes`; with `--macros` as its macros make them, else by a handler written by hand. HTTP
//! has the defaults of the SDK, `--json` answers a modern call without a stream.

mod hand;
mod macros;

use std::error::Error;
use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use schemars::JsonSchema;
use serde::Deserialize;

use hand::Hand;
use macros::Macros;

/// What to say.
#[derive(Deserialize, JsonSchema)]
struct Say {
    /// The text.
    #[schemars(length(max = 100_000))]
    text: String,
    /// How many times.
    #[schemars(range(min = 1, max = 100))]
    count: u32,
}

impl Say {
    fn said(self) -> String {
        match self.count {
            1 => self.text,
            count => self.text.repeat(count as usize),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let config = StreamableHttpServerConfig::default().with_json_response(has("--json"));
    match (arguments.first().map(String::as_str), has("--macros")) {
        (Some("http"), false) => {
            let hand = Hand::new();
            serve_http(move || hand.clone(), config).await
        }
        (Some("http"), true) => serve_http(|| Macros, config).await,
        (Some("stdio"), false) => serve_stdio(Hand::new()).await,
        (Some("stdio"), true) => serve_stdio(Macros).await,
        (Some("pipes"), false) => serve_pipes(Hand::new()).await,
        (Some("pipes"), true) => serve_pipes(Macros).await,
        _ => Err("usage: peer-rmcp http [--json] | stdio | pipes, each with or without --macros".into()),
    }
}

async fn serve_http<H: ServerHandler + Send + Sync + 'static>(
    make: impl Fn() -> H + Send + Sync + 'static,
    config: StreamableHttpServerConfig,
) -> Result<(), Box<dyn Error>> {
    let service =
        StreamableHttpService::new(move || Ok(make()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}

async fn serve_stdio(handler: impl ServerHandler) -> Result<(), Box<dyn Error>> {
    handler.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

async fn serve_pipes(handler: impl ServerHandler) -> Result<(), Box<dyn Error>> {
    handler.serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
    Ok(())
}

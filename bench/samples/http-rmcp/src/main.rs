//! A server over HTTP on rmcp and a client that calls it, without TLS.

use std::sync::Arc;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The line that changes between two builds.
const LINE: Option<&str> = option_env!("BENCH_LINE");

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

/// Fifty tools.
#[derive(Clone)]
struct Fifty;

macro_rules! fifty {
    ($($name:ident)+) => {
        #[tool_router]
        impl Fifty {
            $(
                #[tool(description = "Says a text a number of times")]
                async fn $name(&self, Parameters(say): Parameters<Say>) -> String {
                    say.text.repeat(say.count as usize)
                }
            )+
        }
    };
}

fifty! {
    tool_00 tool_01 tool_02 tool_03 tool_04 tool_05 tool_06 tool_07 tool_08 tool_09
    tool_10 tool_11 tool_12 tool_13 tool_14 tool_15 tool_16 tool_17 tool_18 tool_19
    tool_20 tool_21 tool_22 tool_23 tool_24 tool_25 tool_26 tool_27 tool_28 tool_29
    tool_30 tool_31 tool_32 tool_33 tool_34 tool_35 tool_36 tool_37 tool_38 tool_39
    tool_40 tool_41 tool_42 tool_43 tool_44 tool_45 tool_46 tool_47 tool_48 tool_49
}

#[tool_handler]
impl ServerHandler for Fifty {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    eprintln!("{}", LINE.unwrap_or("0"));
    let service = StreamableHttpService::new(
        || Ok(Fifty),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let routes = axum::Router::new().route_service("/mcp", service);
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await });
    let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await?;
    let serde_json::Value::Object(arguments) = json!({ "text": "hello", "count": 2 }) else { return Ok(()) };
    let result = client.call_tool(CallToolRequestParams::new("tool_25").with_arguments(arguments)).await?;
    println!("{result:?}");
    serving.abort();
    Ok(())
}

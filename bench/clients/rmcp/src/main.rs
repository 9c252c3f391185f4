//! A client on rmcp 3.11.0: `stock URL`, `pooled URL`, `modern URL` or `stdio PROGRAM [ARGUMENTS…]`.
//!
//! `stock` is what its documentation shows: the handshake of the legacy era, and an HTTP client that keeps no connection.
//! `pooled` has a plain reqwest client in its place, and `modern` asks for the modern era as well.

use control::{Caller, Failure};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::json;

struct Rmcp(RunningService<RoleClient, ()>);

impl Caller for Rmcp {
    async fn call(&self) -> Result<(), Failure> {
        let serde_json::Value::Object(arguments) = json!({ "text": "hello, world", "count": 1 }) else {
            return Err("no object".into());
        };
        let result =
            self.0.call_tool(CallToolRequestParams::new("tool_25").with_arguments(arguments)).await?;
        let text = result.content.first().and_then(|content| content.as_text());
        match text.is_some_and(|text| text.text.contains("hello, world")) {
            true => Ok(()),
            false => Err(format!("a bad answer: {result:?}").into()),
        }
    }
}

fn pooled(url: &str) -> StreamableHttpClientTransport<reqwest::Client> {
    StreamableHttpClientTransport::with_client(
        reqwest::Client::new(),
        StreamableHttpClientTransportConfig::with_uri(url),
    )
}

fn main() -> Result<(), Failure> {
    control::run(async |arguments: &[String]| {
        Ok(Rmcp(match arguments.split_first() {
            Some((kind, [url])) if kind == "stock" => {
                ().serve(StreamableHttpClientTransport::from_uri(url.as_str())).await?
            }
            Some((kind, [url])) if kind == "pooled" => ().serve(pooled(url)).await?,
            Some((kind, [url])) if kind == "modern" => {
                let mode =
                    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
                ().serve_with_lifecycle(pooled(url), mode).await?
            }
            Some((kind, [program, words @ ..])) if kind == "stdio" => {
                let mut command = tokio::process::Command::new(program);
                command.args(words);
                ().serve(TokioChildProcess::new(command)?).await?
            }
            _ => {
                return Err(
                    "usage: client-rmcp stock | pooled | modern URL, stdio PROGRAM [ARGUMENTS…]".into()
                );
            }
        }))
    })
}

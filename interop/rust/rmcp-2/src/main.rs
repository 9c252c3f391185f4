//! A server on rmcp 2.2.0, the last major of that SDK before `server/discover`.
//!
//! `stdio`, `stateful --port N` or `stateless --port N`: the three ways in which people run it. Stateful is the
//! SDK's default; stateless answers with JSON.

use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::router::{prompt::PromptRouter, tool::ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt};
use rmcp::{prompt, prompt_handler, prompt_router, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const GREETING: &str = "test://greeting";

#[derive(Clone)]
struct Peer2 {
    tools: ToolRouter<Self>,
    prompts: PromptRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Confirm {
    yes: bool,
}

rmcp::elicit_safe!(Confirm);

#[tool_router]
impl Peer2 {
    fn new() -> Self {
        Self { tools: Self::tool_router(), prompts: Self::prompt_router() }
    }

    #[tool(description = "Adds two integers")]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> CallToolResult {
        let sum = a + b;
        let mut result = CallToolResult::success(vec![ContentBlock::text(sum.to_string())]);
        result.structured_content = Some(serde_json::json!({ "sum": sum }));
        result
    }

    #[tool(description = "Says the text again")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Asks the user to confirm")]
    async fn ask(&self, peer: Peer<RoleServer>) -> String {
        match peer.elicit::<Confirm>("Go on?").await {
            Ok(Some(Confirm { yes })) => format!("yes = {yes}"),
            Ok(None) => "no answer".to_owned(),
            Err(error) => format!("not confirmed: {error}"),
        }
    }
}

#[prompt_router]
impl Peer2 {
    #[prompt(description = "Greets somebody")]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Say hello to {name}."))]
    }
}

#[tool_handler(router = self.tools)]
#[prompt_handler(router = self.prompts)]
impl ServerHandler for Peer2 {
    fn get_info(&self) -> ServerInfo {
        let offers = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerInfo::new(offers).with_server_info(Implementation::new("interop-rmcp-2", "0.0.0"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(GREETING, "greeting")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        if request.uri != GREETING {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("Hello.", request.uri)]))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["stdio"] => {
            Peer2::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
            Ok(())
        }
        ["stateful", "--port", port] => {
            serve_http(port.parse()?, StreamableHttpServerConfig::default()).await
        }
        ["stateless", "--port", port] => {
            let config =
                StreamableHttpServerConfig::default().with_stateful_mode(false).with_json_response(true);
            serve_http(port.parse()?, config).await
        }
        _ => Err("usage: interop-rmcp-2 stdio | stateful --port N | stateless --port N".into()),
    }
}

async fn serve_http(port: u16, config: StreamableHttpServerConfig) -> Result<(), Box<dyn Error>> {
    let service =
        StreamableHttpService::new(|| Ok(Peer2::new()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}

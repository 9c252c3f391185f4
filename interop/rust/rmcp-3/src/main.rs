//! A server on rmcp 3.11.0, which speaks both eras on one endpoint.
//!
//! `stdio` or `http --port N`, both with the SDK's defaults: modern requests are served alone, `initialize` opens a
//! legacy session.

use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::router::{prompt::PromptRouter, tool::ToolRouter};
use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use rmcp::{prompt, prompt_handler, prompt_router, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const GREETING: &str = "test://greeting";

#[derive(Clone)]
struct Peer3 {
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
impl Peer3 {
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

    /// The SDK leaves the two ways of asking to the handler: a result that asks (modern), a request (legacy).
    #[tool(description = "Asks the user to confirm")]
    async fn ask(
        &self,
        context: RequestContext<RoleServer>,
        InputResponses(answers): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let modern =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let text = match answers.as_ref().and_then(|answers| answers.get("confirm")) {
            Some(answer) => match answer.pointer("/content/yes") {
                Some(yes) => format!("yes = {yes}"),
                None => "not confirmed".to_owned(),
            },
            None if modern => return Ok(question()?.into()),
            None => match context.peer.elicit::<Confirm>("Go on?").await {
                Ok(Some(Confirm { yes })) => format!("yes = {yes}"),
                Ok(None) => "no answer".to_owned(),
                Err(error) => format!("not confirmed: {error}"),
            },
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn question() -> Result<InputRequiredResult, ErrorData> {
    let schema = serde_json::json!({
        "type": "object", "properties": { "yes": { "type": "boolean" } }, "required": ["yes"]
    });
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Go on?".to_owned(),
        requested_schema: serde_json::from_value(schema)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
    };
    let ask = InputRequest::Elicitation(ElicitRequest::new(form));
    Ok(InputRequiredResult::new(Some(InputRequests::from([("confirm".to_owned(), ask)])), None))
}

#[prompt_router]
impl Peer3 {
    #[prompt(description = "Greets somebody")]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Say hello to {name}."))]
    }
}

#[tool_handler(router = self.tools)]
#[prompt_handler(router = self.prompts)]
impl ServerHandler for Peer3 {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(offers).with_server_info(Implementation::new("interop-rmcp-3", "0.0.0"))
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
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != GREETING {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("Hello.", request.uri)]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["stdio"] => {
            Peer3::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
            Ok(())
        }
        ["http", "--port", port] => serve_http(port.parse()?).await,
        _ => Err("usage: interop-rmcp-3 stdio | http --port N".into()),
    }
}

async fn serve_http(port: u16) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default();
    let service =
        StreamableHttpService::new(|| Ok(Peer3::new()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}

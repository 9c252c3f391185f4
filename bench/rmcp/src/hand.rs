//! A handler written by hand: the list is made once, and the name of the tool picks the code.

use std::sync::Arc;

use rmcp::handler::server::tool::schema_for_type;
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::broadcast;

use crate::Say;

/// Fifty tools and the changes that `touch` makes.
#[derive(Clone)]
pub(crate) struct Hand {
    tools: Arc<Vec<Tool>>,
    changes: broadcast::Sender<()>,
}

impl Hand {
    pub(crate) fn new() -> Self {
        let schema = schema_for_type::<Say>();
        let mut tools: Vec<Tool> = (0..49)
            .map(|number| {
                Tool::new(format!("tool_{number:02}"), "Says a text a number of times", schema.clone())
            })
            .collect();
        tools.push(Tool::new("touch", "Tells everyone who listens of a change", JsonObject::new()));
        Self { tools: Arc::new(tools), changes: broadcast::Sender::new(16) }
    }
}

impl ServerHandler for Hand {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(offers).with_server_info(Implementation::new("bench", "0.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "touch" {
            let _ = self.changes.send(());
            return Ok(CallToolResult::success(vec![ContentBlock::text("touched")]).into());
        }
        if !request.name.starts_with("tool_") {
            return Err(ErrorData::invalid_params("no such tool", None));
        }
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let say: Say = serde_json::from_value(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(say.said())]).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            tokio::select! {
                _ = context.cancelled() => return Ok(()),
                change = changes.recv() => {
                    if change.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

//! A client on rmcp 3.11.0: `interop-rmcp-3-client MODE URL`, or `… MODE -- COMMAND [ARGUMENTS…]`.
//!
//! The mode is the lifecycle: `initialize` is the default of the SDK, `auto` asks and falls back, `discover` does not.

use std::error::Error;
use std::process::ExitCode;

use interop_verdict::{GREETING, NAME, Seen, Target, conclude};
use rmcp::model::*;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json, to_value};

/// Says yes to every question.
struct Agreeable;

impl ClientHandler for Agreeable {
    fn get_info(&self) -> ClientConfig {
        let offers = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(offers, Implementation::new("interop-rmcp-3-client", "0.0.0"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "yes": true })))
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    conclude(look(&words).await)
}

async fn look(words: &[String]) -> Result<Seen, Box<dyn Error>> {
    let (mode, target) = words.split_first().ok_or("a mode and a target are needed")?;
    let client = connect(Target::parse(target)?, lifecycle(mode)?).await?;
    let server = client.peer_info().ok_or("no handshake was made")?;
    let tools = client.list_all_tools().await?.into_iter().map(|tool| tool.name.into_owned()).collect();
    let read = client.read_resource(ReadResourceRequestParams::new(GREETING)).await?;
    let greet = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "name": NAME })));
    let prompt = client.get_prompt(greet).await?;
    let seen = Seen {
        era: if server.protocol_version >= ProtocolVersion::V_2026_07_28 { "modern" } else { "legacy" },
        protocol_version: server.protocol_version.to_string(),
        tools,
        add: call(&client, "add", json!({ "a": 2, "b": 3 })).await?,
        read: to_value(read)?,
        prompt: to_value(prompt)?,
        confirm: call(&client, "confirm", json!({ "question": "Go on?" })).await?,
    };
    client.cancel().await?;
    Ok(seen)
}

fn lifecycle(mode: &str) -> Result<ClientLifecycleMode, Box<dyn Error>> {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match mode {
        "initialize" => Ok(ClientLifecycleMode::Initialize),
        "auto" => Ok(ClientLifecycleMode::Auto { preferred_versions, legacy_version: None }),
        "discover" => Ok(ClientLifecycleMode::Discover { preferred_versions }),
        _ => Err("the mode is `initialize`, `auto` or `discover`".into()),
    }
}

async fn connect(
    target: Target,
    mode: ClientLifecycleMode,
) -> Result<RunningService<RoleClient, Agreeable>, Box<dyn Error>> {
    Ok(match target {
        Target::Url(url) => {
            Agreeable.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), mode).await?
        }
        Target::Command(words) => {
            let mut command = tokio::process::Command::new(&words[0]);
            command.args(&words[1..]);
            Agreeable.serve_with_lifecycle(TokioChildProcess::new(command)?, mode).await?
        }
    })
}

async fn call(
    client: &RunningService<RoleClient, Agreeable>,
    tool: &'static str,
    arguments: Value,
) -> Result<Value, Box<dyn Error>> {
    let result = client.call_tool(CallToolRequestParams::new(tool).with_arguments(object(arguments))).await?;
    Ok(to_value(result)?)
}

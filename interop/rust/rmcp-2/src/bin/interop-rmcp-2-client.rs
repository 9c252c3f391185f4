//! A client on rmcp 2.2.0: `interop-rmcp-2-client URL`, or `… -- COMMAND [ARGUMENTS…]`.

use std::error::Error;
use std::process::ExitCode;

use interop_verdict::{GREETING, NAME, Seen, Target, conclude};
use rmcp::model::*;
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use serde_json::{Value, json, to_value};

/// Says yes to every question.
struct Agreeable;

impl ClientHandler for Agreeable {
    fn get_info(&self) -> ClientInfo {
        let offers = ClientCapabilities::builder().enable_elicitation().build();
        ClientInfo::new(offers, Implementation::new("interop-rmcp-2-client", "0.0.0"))
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
    let client = connect(Target::parse(words)?).await?;
    let server = client.peer_info().ok_or("no handshake was made")?;
    let tools = client.list_all_tools().await?.into_iter().map(|tool| tool.name.into_owned()).collect();
    let read = client.read_resource(ReadResourceRequestParams::new(GREETING)).await?;
    let greet = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "name": NAME })));
    let prompt = client.get_prompt(greet).await?;
    let seen = Seen {
        era: "legacy",
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

async fn connect(target: Target) -> Result<RunningService<RoleClient, Agreeable>, Box<dyn Error>> {
    Ok(match target {
        Target::Url(url) => Agreeable.serve(StreamableHttpClientTransport::from_uri(url)).await?,
        Target::Command(words) => {
            let mut command = tokio::process::Command::new(&words[0]);
            command.args(&words[1..]);
            Agreeable.serve(TokioChildProcess::new(command)?).await?
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

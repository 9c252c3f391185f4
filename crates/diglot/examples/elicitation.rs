//! A tool that asks the user, in either era, over stdin and stdout. Run: `cargo run -p diglot --example elicitation`.
//!
//! A legacy client is asked in the middle of the call. A modern one gets the questions as the result and calls again with
//! the answers: the function runs from its beginning once more, and finds them where it asked.

use diglot::types::{ElicitAction, ElicitFormParams, RequestedSchema, StringSchema};
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Deploy {
    /// Where to deploy.
    target: String,
}

/// The form is made of the type: its fields, their kinds, and their comments.
#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Whether to go on.
    yes: bool,
    /// What the deployment is called.
    label: Option<String>,
}

async fn deploy(Deploy { target }: Deploy, cx: Context) -> Result<String, ToolError> {
    let Confirm { yes, label } = cx.elicit("confirm", format!("Deploy to {target}?")).await?;
    if !yes {
        return Ok("not deployed".to_owned());
    }
    // What happens before a question happens twice for a modern client; so the work comes after the last one.
    let label = label.unwrap_or_else(|| "unnamed".to_owned());
    Ok(format!("deployed {label} to {target}"))
}

/// Where no is an answer too, the form is made by hand, and what the user did is looked at.
async fn feedback(cx: Context) -> Result<&'static str, ToolError> {
    let form = RequestedSchema::form().field("words", StringSchema::new().title("Your words"));
    let answer = cx.elicit_form("feedback", ElicitFormParams::new("How was it?", form.to_raw())).await?;
    Ok(match answer.action {
        ElicitAction::Accept => "thank you",
        ElicitAction::Decline => "another time, then",
        _ => "no answer",
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("deployer", "1.0.0")
        .tool(Tool::new("deploy", deploy).description("Deploys, if the user agrees"))
        .tool(Tool::new("feedback", feedback).description("Asks how it was"));
    Ok(server.serve_stdio().await?)
}

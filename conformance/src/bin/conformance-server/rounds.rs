//! Tools whose first answer is a question (`input_required`), and what they make of the answers.

use diglot::types::{ElicitFormParams, RequestedSchema, StringSchema};
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::asking::ask_model;

/// The beginning of the name of each tool.
const PREFIX: &str = "test_input_required_result_";

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    let named = |name: &str| format!("{PREFIX}{name}");
    [
        Tool::new(named("elicitation"), greet),
        Tool::new(named("sampling"), capital),
        Tool::new(named("list_roots"), roots),
        Tool::new(named("request_state"), agree),
        Tool::new(named("multiple_inputs"), all_at_once),
        Tool::new(named("multi_round"), two_rounds),
        Tool::new(named("tampered_state"), agree),
        Tool::new(named("capabilities"), what_it_can),
    ]
    .into_iter()
    .fold(server, |server, tool| server.tool(tool.description("Asks before it answers")))
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Agreement {
    ok: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

async fn greet(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

async fn capital(cx: Context) -> Result<String, ToolError> {
    ask_model(&cx, "capital_question", "What is the capital of France?".to_owned()).await
}

async fn roots(cx: Context) -> Result<String, ToolError> {
    let roots = cx.roots("client_roots").await?;
    Ok(roots.iter().map(|root| format!("{}\n", root.uri)).collect())
}

async fn agree(cx: Context) -> Result<&'static str, ToolError> {
    let Agreement { ok } = cx.elicit("confirm", "Please confirm").await?;
    Ok(if ok { "state-ok" } else { "state-ok, but not confirmed" })
}

async fn all_at_once(cx: Context) -> Result<String, ToolError> {
    let name = cx.elicit::<Name>("user_name", "What is your name?");
    let greeting = ask_model(&cx, "greeting", "Generate a greeting".to_owned());
    let (name, greeting, roots) = tokio::join!(name, greeting, cx.roots("client_roots"));
    Ok(format!("{} {}, with {} roots", greeting?, name?.name, roots?.len()))
}

async fn two_rounds(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("step1", "Step 1: What is your name?").await?;
    let Color { color } = cx.elicit("step2", "Step 2: What is your favorite color?").await?;
    Ok(format!("{name} likes {color}"))
}

/// Asks only what the client says that it can answer.
async fn what_it_can(cx: Context) -> Result<String, ToolError> {
    let declared = cx.client_capabilities();
    if declared.sampling.is_some() {
        return ask_model(&cx, "greeting", "Generate a greeting".to_owned()).await;
    }
    if declared.elicitation.is_some() {
        let form = RequestedSchema::form().field("name", StringSchema::new());
        let params = ElicitFormParams::new("What is your name?", form.to_raw());
        return Ok(cx.elicit_form("user_name", params).await?.action.as_str().to_owned());
    }
    Ok("The client can answer nothing".to_owned())
}

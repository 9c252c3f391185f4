//! Tools whose calls go on as tasks.

use std::time::Duration;

use diglot::jsonrpc::{RpcError, codes};
use diglot::types::TaskSupport;
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

/// The longest that a client may let the server compute, in seconds.
const LONGEST: f64 = 600.0;

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    let optional = |tool: Tool| tool.task(TaskSupport::Optional);
    let required = |tool: Tool| tool.task(TaskSupport::Required);
    [
        Tool::new("greet", greet).description("Greets at once, and never as a task"),
        optional(Tool::new("slow_compute", compute)).description("Computes for some seconds"),
        required(Tool::new("failing_job", fail)).description("Fails as a tool fails"),
        required(Tool::new("protocol_error_job", break_off)).description("Fails as a request fails"),
        optional(Tool::new("confirm_delete", delete)).description("Asks before it deletes"),
        optional(Tool::new("multi_input", ask_twice)).description("Asks two questions at the same time"),
        required(Tool::new("test_tool_with_task", ask_first))
            .starts_task_itself()
            .description("Asks first, and goes on as a task"),
    ]
    .into_iter()
    .fold(server, |server, tool| server.tool(tool.task_poll_interval(Duration::from_millis(200))))
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Computation {
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct File {
    filename: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    confirm: bool,
}

async fn greet(Name { name }: Name, _: Context) -> String {
    format!("Hello, {name}!")
}

async fn compute(Computation { seconds, label }: Computation, cx: Context) -> Result<String, ToolError> {
    cx.task_message(format!("computing {label}"));
    tokio::time::sleep(Duration::try_from_secs_f64(seconds.min(LONGEST))?).await;
    Ok(format!("{label} took {seconds} seconds"))
}

async fn fail(_: Context) -> Result<String, ToolError> {
    Err(ToolError::new("the job has failed"))
}

async fn break_off(_: Context) -> Result<String, ToolError> {
    Err(ToolError::protocol(RpcError::new(codes::INTERNAL_ERROR, "the job broke off")))
}

async fn delete(File { filename }: File, cx: Context) -> Result<String, ToolError> {
    let Confirmation { confirm } = cx.elicit("confirm", format!("Delete {filename}?")).await?;
    Ok(if confirm { format!("Deleted {filename}") } else { format!("Kept {filename}") })
}

async fn ask_twice(cx: Context) -> Result<String, ToolError> {
    let name = cx.elicit::<Name>("name", "What is your name?");
    let confirmation = cx.elicit::<Confirmation>("confirmation", "Shall it be done?");
    let (name, confirmation) = tokio::join!(name, confirmation);
    Ok(format!("{} said {}", name?.name, confirmation?.confirm))
}

async fn ask_first(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("user_name", "What is your name?").await?;
    cx.start_task().await?;
    Ok(format!("Hello, {name}, from a task"))
}

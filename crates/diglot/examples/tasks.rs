//! A tool whose calls go on as tasks, over stdin and stdout. Run: `cargo run -p diglot --example tasks`.
//!
//! The function is as any other. A client that understands tasks gets one at once, looks how it stands, and answers the
//! question when it comes; for any other client the request waits for the end.

use std::time::Duration;

use diglot::server::TaskLimits;
use diglot::types::TaskSupport;
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Training {
    /// How often to go through the data.
    epochs: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Whether to publish the model.
    yes: bool,
}

async fn train(Training { epochs }: Training, cx: Context) -> Result<String, ToolError> {
    for epoch in 1..=epochs {
        // Here the work would be done; a task that is cancelled is dropped where it waits.
        tokio::time::sleep(Duration::from_millis(20)).await;
        cx.progress(f64::from(epoch), Some(f64::from(epochs)), Some(&format!("epoch {epoch} of {epochs}")));
    }
    let Confirm { yes } = cx.elicit("publish", "The model is trained. Publish it?").await?;
    Ok(if yes { format!("published after {epochs} epochs") } else { "kept".to_owned() })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let day = Duration::from_secs(24 * 60 * 60);
    let train = Tool::new("train", train)
        .description("Trains a model")
        .task(TaskSupport::Optional)
        .task_poll_interval(Duration::from_millis(100))
        .task_ttl(day);
    let server =
        Server::new("trainer", "1.0.0").task_limits(TaskLimits::default().running(64, 8)).tool(train);
    Ok(server.serve_stdio().await?)
}

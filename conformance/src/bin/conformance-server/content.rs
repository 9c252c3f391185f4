//! Tools that only return something: each kind of content, errors, progress, log messages.

use std::time::Duration;

use diglot::server::Json;
use diglot::types::{Content, LoggingLevel, ResourceContents};
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::samples::{PNG, WAV};

/// The pause between two notifications.
const PAUSE: Duration = Duration::from_millis(50);

/// Adds the tools; the first works without arguments, as the suite wants the first of the list to.
pub(crate) fn add_to(server: Server) -> Server {
    server
        .tool(
            Tool::new("test_simple_text", |_: Context| async {
                "This is a simple text response for testing."
            })
            .description("Returns text"),
        )
        .tool(
            Tool::new("test_image_content", |_: Context| async { image() }).description("Returns a picture"),
        )
        .tool(
            Tool::new("test_audio_content", |_: Context| async { Content::audio(WAV, "audio/wav") })
                .description("Returns a sound"),
        )
        .tool(
            Tool::new("test_embedded_resource", |_: Context| async {
                resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
            })
            .description("Returns a resource"),
        )
        .tool(
            Tool::new("test_multiple_content_types", several).description("Returns content of several kinds"),
        )
        .tool(Tool::new("test_structured_content", structured).description("Returns a structured result"))
        .tool(Tool::new("test_error_handling", fail).description("Reports an error"))
        .tool(Tool::new("test_tool_with_logging", log).description("Logs three messages"))
        .tool(
            Tool::new("test_logging_tool", log).description("Logs three messages, if the request wants any"),
        )
        .tool(Tool::new("test_tool_with_progress", progress).description("Tells its progress"))
        .tool(Tool::new("test_reconnection", reconnect).description("Closes its stream before it answers"))
}

fn image() -> Content {
    Content::image(PNG, "image/png")
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Content {
    Content::resource(ResourceContents::text(uri, text).mime_type(mime_type))
}

async fn several(_: Context) -> Vec<Content> {
    let data = r#"{"test":"data","value":123}"#;
    vec![
        Content::text("Multiple content types test:"),
        image(),
        resource("test://mixed-content-resource", "application/json", data),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    temperature: f64,
    conditions: String,
}

async fn structured(_: Context) -> Json<Weather> {
    Json(Weather { temperature: 22.5, conditions: "Partly cloudy".to_owned() })
}

async fn fail(_: Context) -> Result<(), ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

async fn log(cx: Context) -> &'static str {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        cx.log(LoggingLevel::Info, None, message);
        tokio::time::sleep(PAUSE).await;
    }
    "Logged three messages"
}

async fn progress(cx: Context) -> &'static str {
    for percent in [0.0, 50.0, 100.0] {
        cx.progress(percent, Some(100.0), Some(&format!("Completed step {percent} of 100")));
        tokio::time::sleep(PAUSE).await;
    }
    "Done"
}

async fn reconnect(cx: Context) -> &'static str {
    cx.close_stream();
    tokio::time::sleep(2 * PAUSE).await;
    "Reconnection test completed successfully"
}

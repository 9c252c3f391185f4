//! Prompts, told and got.

use diglot::types::{GetPromptResult, PromptMessage};
use diglot::{Context, Server, ToolError};
use serde_json::json;

use super::stage::prompt;

/// Greets somebody.
#[diglot::prompt(title = "Greeting")]
async fn greet(
    /// Whom to greet.
    name: String,
    cx: Context,
    times: Option<u32>,
    r#loud: bool,
) -> String {
    format!("Greet {name} {times:?} {loud} {}", cx.era())
}

fn greeter() -> Server {
    Server::new("t", "0").prompt(greet::prompt())
}

#[test]
fn parameters_and_their_docs_are_the_arguments() {
    let expected = json!({
        "name": "greet",
        "title": "Greeting",
        "description": "Greets somebody.",
        "arguments": [
            { "name": "name", "description": "Whom to greet.", "required": true },
            { "name": "times" },
            { "name": "loud", "required": true },
        ],
    });
    assert_eq!(serde_json::to_value(greet::prompt().definition()).unwrap(), expected);
}

#[tokio::test]
async fn arguments_are_read_of_their_texts() {
    let got = prompt(greeter(), "greet", json!({ "name": "Ada", "times": "2", "loud": "true" })).await;
    assert_eq!(got, "Greet Ada Some(2) true modern");
    let got = prompt(greeter(), "greet", json!({ "name": "Ada", "loud": "false" })).await;
    assert_eq!(got, "Greet Ada None false modern");
}

#[tokio::test]
async fn an_argument_that_cannot_be_read_is_invalid() {
    let got = prompt(greeter(), "greet", json!({ "name": "Ada", "times": "twice", "loud": "true" })).await;
    assert!(got.contains("-32602") && got.contains("times"), "{got}");
}

#[tokio::test]
async fn a_prompt_may_be_of_many_messages_and_may_fail() {
    /// Begins a story.
    #[diglot::prompt(name = "story", description = "Begins.")]
    fn begin(hero: Option<String>) -> Result<GetPromptResult, ToolError> {
        let hero = hero.ok_or_else(|| ToolError::invalid_params("no hero"))?;
        Ok(GetPromptResult::new([PromptMessage::user(hero), PromptMessage::assistant("…")]))
    }
    assert_eq!(begin::prompt().definition().description.as_deref(), Some("Begins."));
    let server = Server::new("t", "0").prompt(begin::prompt());
    assert_eq!(prompt(server.clone(), "story", json!({ "hero": "Ada" })).await, "Ada");
    assert!(prompt(server, "story", json!({})).await.contains("no hero"));
}

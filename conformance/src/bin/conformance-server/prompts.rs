//! Prompts: plain ones, one whose arguments complete, and one that asks first.

use diglot::server::{Partial, Prompt, PromptArguments};
use diglot::types::{Content, PromptMessage, ResourceContents};
use diglot::{Context, Server, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::samples::PNG;

const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";

/// Adds the prompts.
pub(crate) fn add_to(server: Server) -> Server {
    server
        .prompt(
            Prompt::new("test_simple_prompt", |_: PromptArguments, _: Context| async {
                "This is a simple prompt for testing."
            })
            .description("A prompt without arguments"),
        )
        .prompt(
            Prompt::new(WITH_ARGUMENTS, fill)
                .description("A prompt with two arguments")
                .argument("arg1", "The first argument")
                .argument("arg2", "The second argument"),
        )
        .complete_prompt(WITH_ARGUMENTS, complete)
        .prompt(
            Prompt::new("test_prompt_with_embedded_resource", embed)
                .description("A prompt with a resource in it")
                .argument("resourceUri", "The address of the resource"),
        )
        .prompt(
            Prompt::new("test_prompt_with_image", |_: PromptArguments, _: Context| async {
                vec![
                    PromptMessage::user(Content::image(PNG, "image/png")),
                    PromptMessage::user("Please analyze the image above."),
                ]
            })
            .description("A prompt with a picture in it"),
        )
        .prompt(
            Prompt::new("test_input_required_result_prompt", ask)
                .description("A prompt that asks before it answers"),
        )
}

async fn fill(arguments: PromptArguments, _: Context) -> String {
    let of = |name| arguments.find(name).unwrap_or_default();
    format!("Prompt with arguments: arg1='{}', arg2='{}'", of("arg1"), of("arg2"))
}

async fn complete(partial: Partial, _: Context) -> Result<Vec<String>, ToolError> {
    let words = ["paris", "park", "party", "test", "testing"];
    Ok(words.iter().filter(|word| word.starts_with(&partial.value)).map(ToString::to_string).collect())
}

async fn embed(arguments: PromptArguments, _: Context) -> Vec<PromptMessage> {
    let uri = arguments.find("resourceUri").unwrap_or_default();
    let contents = ResourceContents::text(uri, "Embedded resource content for testing.");
    vec![
        PromptMessage::user(Content::resource(contents.mime_type("text/plain"))),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Asked {
    context: String,
}

async fn ask(_: PromptArguments, cx: Context) -> Result<String, ToolError> {
    let Asked { context } = cx.elicit("user_context", "What context should the prompt use?").await?;
    Ok(format!("Use this context: {context}"))
}

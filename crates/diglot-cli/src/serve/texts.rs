//! The texts of the demo server: a greeting, notes found by their names, and a prompt.

use diglot::server::{Partial, Prompt, PromptArguments, Resource, ResourceTemplate};
use diglot::types::{Annotations, GetPromptResult, PromptMessage, Role};
use diglot::{Context, ToolError};

use super::icon::icon;

/// The template of the notes' addresses.
pub(super) const NOTES: &str = "demo://notes/{name}";

/// The notes by their names.
#[rustfmt::skip]
const NOTE_TEXTS: &[(&str, &str)] = &[
    ("eras", "The modern era (2026-07-28) is stateless; the legacy one (2024-11-05 to 2025-11-25) begins with initialize."),
    ("tools", "add and echo answer at once, count takes its time, confirm asks the user, fail fails, tick moves the clock."),
    ("welcome", "This server speaks to clients of both eras. Whatever a client asks, each request is judged by itself."),
];

/// Names that complete the prompt's argument.
const NAMES: &[&str] = &["Ada", "Alan", "Barbara", "Edsger", "Grace", "Katherine", "Tim"];

/// Makes the resource that greets.
pub(super) fn greeting() -> Resource {
    Resource::text("demo://greeting", "greeting", "Hello from Diglot.")
        .title("Greeting")
        .description("A friendly word.")
        .mime_type("text/plain")
        .annotations(Annotations::new().audience([Role::User]).priority(0.1))
        .icons([icon("#27a", "hi")])
}

/// Makes the family of the notes.
pub(super) fn notes() -> ResourceTemplate {
    ResourceTemplate::new(NOTES, "notes", read_note)
        .title("Notes")
        .description("Short notes: eras, tools, welcome.")
        .mime_type("text/plain")
        .icons([icon("#772", "n")])
}

async fn read_note(uri: String, cx: Context) -> Result<&'static str, ToolError> {
    let name = cx.variable("name").unwrap_or_default();
    let note = NOTE_TEXTS.iter().find(|(known, _)| *known == name);
    note.map(|(_, text)| *text).ok_or_else(|| ToolError::resource_not_found(uri))
}

/// Completes the name of a note.
pub(super) async fn complete_note(partial: Partial, _: Context) -> Result<Vec<String>, ToolError> {
    Ok(that_begin_with(&partial.value, NOTE_TEXTS.iter().map(|(name, _)| *name)))
}

/// Makes the prompt that greets somebody.
pub(super) fn greet() -> Prompt {
    Prompt::new("greet", write_greeting)
        .title("Greet")
        .description("Asks the model to greet somebody.")
        .argument("name", "Who is greeted.")
        .icons([icon("#27a", "hi")])
}

async fn write_greeting(arguments: PromptArguments, _: Context) -> GetPromptResult {
    let name = arguments.find("name").unwrap_or_default();
    GetPromptResult::new([PromptMessage::user(format!("Greet {name} in one friendly sentence."))])
        .description(format!("A greeting for {name}"))
}

/// Completes the name of who is greeted.
pub(super) async fn complete_name(partial: Partial, _: Context) -> Result<Vec<String>, ToolError> {
    Ok(that_begin_with(&partial.value, NAMES.iter().copied()))
}

fn that_begin_with<'w>(beginning: &str, words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let beginning = beginning.to_lowercase();
    words.filter(|word| word.to_lowercase().starts_with(&beginning)).map(str::to_owned).collect()
}

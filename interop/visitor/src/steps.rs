//! The steps of a visit, each with what it must find.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diglot::{Client, Error};
use serde::Deserialize;
use serde_json::Value;

use crate::chain;

/// One thing to do.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// Calls a tool.
    Call {
        /// What the step is called in the report.
        name: String,
        tool: String,
        #[serde(default)]
        arguments: Value,
        /// What the text of the result must contain.
        text: String,
        /// How many reports of progress there must be at least; none are asked for where it is zero.
        #[serde(default)]
        progress: usize,
    },
    /// Reads a resource that must be listed, or made by a template.
    Read { uri: String, text: String },
    /// Gets a prompt.
    Prompt {
        prompt: String,
        #[serde(default)]
        arguments: Value,
        text: String,
    },
    /// Completes an argument of a prompt.
    Complete { prompt: String, argument: String, value: String, among: String },
}

impl Step {
    /// Names the step in the report.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Call { name, .. } => name,
            Self::Read { .. } => "read",
            Self::Prompt { .. } => "prompt",
            Self::Complete { .. } => "complete",
        }
        .to_owned()
    }

    /// Takes the step; the error says what was found instead.
    pub(crate) async fn take(&self, client: &Client) -> Result<(), String> {
        let failed = |error: Error| chain(&error);
        match self {
            Self::Call { tool, arguments, text, progress, .. } => {
                let seen = Arc::new(AtomicUsize::new(0));
                let mut call = client.call_tool(tool, object(arguments));
                if *progress > 0 {
                    let seen = seen.clone();
                    call = call.on_progress(move |_| {
                        seen.fetch_add(1, Ordering::Relaxed);
                    });
                }
                let result = call.await.map_err(failed)?;
                if result.is_error {
                    return Err(format!("the tool reports an error: {}", result.text()));
                }
                contains(&result.text(), text)?;
                match seen.load(Ordering::Relaxed) {
                    reports if reports < *progress => Err(format!("{reports} reports of progress")),
                    _ => Ok(()),
                }
            }
            Self::Read { uri, text } => {
                let read = client.read_resource(uri).await.map_err(failed)?;
                let found: Vec<_> = read.contents.iter().filter_map(|contents| contents.as_text()).collect();
                contains(&found.concat(), text)
            }
            Self::Prompt { prompt, arguments, text } => {
                let listed = client.list_prompts().await.map_err(failed)?;
                listed.find(prompt).ok_or("the prompt is not listed")?;
                let filled = client.prompt(prompt, object(arguments)).await.map_err(failed)?;
                let found: Vec<_> =
                    filled.messages.iter().filter_map(|message| message.content.as_text()).collect();
                contains(&found.concat(), text)
            }
            Self::Complete { prompt, argument, value, among } => {
                let found = client.complete_prompt(prompt, argument, value).await.map_err(failed)?;
                match found.values.iter().any(|value| value == among) {
                    true => Ok(()),
                    false => Err(format!("{among:?} is not among {:?}", found.values)),
                }
            }
        }
    }
}

/// Makes arguments of what a step has: no member means none.
fn object(arguments: &Value) -> Value {
    if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments.clone() }
}

fn contains(found: &str, wanted: &str) -> Result<(), String> {
    match found.contains(wanted) {
        true => Ok(()),
        false => Err(format!("no {wanted:?} in {:?}", found.chars().take(300).collect::<String>())),
    }
}

//! A prompt: what clients are told of it, and the function behind it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::future::Future;
use std::str::FromStr;
use std::sync::Arc;

use diglot_proto::types::{self, GetPromptResult, Icon, PromptArgument};

use crate::future::BoxFuture;
use crate::server::{Context, IntoPrompt, ToolError};

/// A prompt of a server.
#[derive(Clone)]
pub struct Prompt {
    pub(crate) definition: types::Prompt,
    pub(crate) handler: Arc<dyn AnyPrompt>,
}

/// The arguments of a prompt, by name: each is a text.
#[derive(Clone, Debug, Default)]
pub struct PromptArguments(pub(crate) BTreeMap<String, String>);

impl PromptArguments {
    /// Returns an argument; a required one is always there.
    pub fn find(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Reads an argument that must be given.
    ///
    /// # Errors
    ///
    /// It is missing, or is none of the type; the client is told which (`-32602`).
    pub fn parse<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, ToolError> {
        let missing = || ToolError::invalid_params(format!("the argument {name:?} is missing"));
        self.parse_optional(name)?.ok_or_else(missing)
    }

    /// Reads an argument that may be left out.
    ///
    /// # Errors
    ///
    /// It is none of the type; the client is told which (`-32602`).
    pub fn parse_optional<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, ToolError> {
        let unreadable =
            |error| ToolError::invalid_params(format!("the argument {name:?} cannot be read: {error}"));
        self.find(name).map(str::parse).transpose().map_err(unreadable)
    }
}

/// The function behind a prompt, its types forgotten.
pub(crate) trait AnyPrompt: Send + Sync {
    fn answer(
        &self,
        arguments: PromptArguments,
        cx: Context,
    ) -> BoxFuture<'static, Result<GetPromptResult, ToolError>>;
}

/// A function that can be a prompt: `async fn(PromptArguments, Context) -> impl IntoPrompt`.
pub trait PromptHandler: Send + Sync + 'static {
    /// The prompt.
    type Output: IntoPrompt + 'static;

    /// Makes the prompt.
    fn run(
        &self,
        arguments: PromptArguments,
        cx: Context,
    ) -> impl Future<Output = Self::Output> + Send + 'static;
}

impl<F, R, Answer> PromptHandler for F
where
    F: Fn(PromptArguments, Context) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = R> + Send + 'static,
    R: IntoPrompt + 'static,
{
    type Output = R;

    fn run(&self, arguments: PromptArguments, cx: Context) -> impl Future<Output = R> + Send + 'static {
        self(arguments, cx)
    }
}

struct Typed<H>(H);

impl<H: PromptHandler> AnyPrompt for Typed<H> {
    fn answer(
        &self,
        arguments: PromptArguments,
        cx: Context,
    ) -> BoxFuture<'static, Result<GetPromptResult, ToolError>> {
        let running = self.0.run(arguments, cx);
        Box::pin(async move { running.await.into_prompt() })
    }
}

impl Prompt {
    /// Makes a prompt of an async function or closure.
    pub fn new(name: impl Into<String>, handler: impl PromptHandler) -> Self {
        Self { definition: types::Prompt::new(name), handler: Arc::new(Typed(handler)) }
    }

    /// Returns what clients are told of the prompt.
    pub fn definition(&self) -> &types::Prompt {
        &self.definition
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Sets a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Sets pictures of the prompt.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = icons.into();
        self
    }

    /// Adds an argument that must be given.
    #[must_use]
    pub fn argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.declare(PromptArgument::new(name).description(description).required(true))
    }

    /// Adds an argument that may be left out.
    #[must_use]
    pub fn optional_argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.declare(PromptArgument::new(name).description(description))
    }

    /// Adds an argument that is described in full, as one with a title is.
    #[must_use]
    pub fn declare(mut self, argument: PromptArgument) -> Self {
        self.definition.arguments.push(argument);
        self
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").field("name", &self.definition.name).finish_non_exhaustive()
    }
}

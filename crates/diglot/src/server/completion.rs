//! Completion of the arguments of prompts and resource templates.

use std::future::Future;

use diglot_proto::types::Completion;

use crate::future::BoxFuture;
use crate::server::{Context, ToolError};

/// What is being completed: the value of one argument, so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Partial {
    /// The argument's name.
    pub argument: String,
    /// What is there of its value.
    pub value: String,
    /// The arguments that are known already.
    pub known: Vec<(String, String)>,
}

/// The function behind completions, its types forgotten.
pub(crate) trait AnyCompletion: Send + Sync {
    fn complete(&self, partial: Partial, cx: Context) -> BoxFuture<'static, Result<Completion, ToolError>>;
}

/// A function that completes: `async fn(Partial, Context) -> Result<Vec<String>, ToolError>`.
pub trait CompletionHandler: Send + Sync + 'static {
    /// Returns the values that fit, the likeliest first.
    fn run(
        &self,
        partial: Partial,
        cx: Context,
    ) -> impl Future<Output = Result<Vec<String>, ToolError>> + Send + 'static;
}

impl<F, Answer> CompletionHandler for F
where
    F: Fn(Partial, Context) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Vec<String>, ToolError>> + Send + 'static,
{
    fn run(
        &self,
        partial: Partial,
        cx: Context,
    ) -> impl Future<Output = Result<Vec<String>, ToolError>> + Send + 'static {
        self(partial, cx)
    }
}

pub(crate) struct Typed<H>(pub(crate) H);

impl<H: CompletionHandler> AnyCompletion for Typed<H> {
    fn complete(&self, partial: Partial, cx: Context) -> BoxFuture<'static, Result<Completion, ToolError>> {
        let running = self.0.run(partial, cx);
        Box::pin(async move { Ok(Completion::of_many(running.await?)) })
    }
}

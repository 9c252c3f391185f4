//! A tool: what clients are told of it, and the function behind it.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use diglot_proto::types::{self, Icon, ToolAnnotations, ToolResult};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::future::BoxFuture;
use crate::server::arguments::{self, schema_of};
use crate::server::task::Plan;
use crate::server::{Context, IntoToolResult, ToolError};

/// A tool of a server.
///
/// The type of the handler's first argument is the schema of the arguments; [`raw`](Self::raw) takes a schema instead.
#[derive(Clone)]
pub struct Tool {
    pub(crate) definition: types::Tool,
    pub(crate) handler: Arc<dyn AnyTool>,
    pub(crate) plan: Plan,
}

/// The function behind a tool, its types forgotten.
pub(crate) trait AnyTool: Send + Sync {
    fn call(
        &self,
        arguments: Option<Box<RawValue>>,
        cx: Context,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>>;
}

/// A function that can be a tool: `async fn(Arguments, Context) -> impl IntoToolResult`, or one without arguments.
///
/// `Marker` tells the forms apart; it is never written.
pub trait ToolHandler<Marker>: Send + Sync + 'static {
    /// The arguments.
    type Arguments: DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Output: IntoToolResult + 'static;

    /// Runs the tool.
    fn run(
        &self,
        arguments: Self::Arguments,
        cx: Context,
    ) -> impl Future<Output = Self::Output> + Send + 'static;
}

impl<F, A, R, Answer> ToolHandler<(A, Context)> for F
where
    F: Fn(A, Context) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = R> + Send + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: IntoToolResult + 'static,
{
    type Arguments = A;
    type Output = R;

    fn run(&self, arguments: A, cx: Context) -> impl Future<Output = R> + Send + 'static {
        self(arguments, cx)
    }
}

/// The arguments of a tool that takes none.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct NoArguments {}

impl<F, R, Answer> ToolHandler<Context> for F
where
    F: Fn(Context) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = R> + Send + 'static,
    R: IntoToolResult + 'static,
{
    type Arguments = NoArguments;
    type Output = R;

    fn run(&self, _arguments: NoArguments, cx: Context) -> impl Future<Output = R> + Send + 'static {
        self(cx)
    }
}

struct Typed<H, Marker> {
    handler: H,
    marker: PhantomData<fn() -> Marker>,
}

impl<Marker: 'static, H: ToolHandler<Marker>> AnyTool for Typed<H, Marker> {
    fn call(
        &self,
        arguments: Option<Box<RawValue>>,
        cx: Context,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        match arguments::read(arguments.as_deref()) {
            Ok(arguments) => {
                let running = self.handler.run(arguments, cx);
                Box::pin(async move { running.await.into_tool_result() })
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

/// A function over raw arguments.
struct Raw<F>(F);

impl<F, R, Answer> AnyTool for Raw<F>
where
    F: Fn(Box<RawValue>, Context) -> Answer + Send + Sync,
    Answer: Future<Output = R> + Send + 'static,
    R: IntoToolResult,
{
    fn call(
        &self,
        arguments: Option<Box<RawValue>>,
        cx: Context,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let arguments =
            arguments.unwrap_or_else(|| RawValue::from_string("{}".to_owned()).expect("it is JSON"));
        let running = (self.0)(arguments, cx);
        Box::pin(async move { running.await.into_tool_result() })
    }
}

impl Tool {
    /// Makes a tool of an async function or closure.
    pub fn new<Marker: 'static, H: ToolHandler<Marker>>(name: impl Into<String>, handler: H) -> Self {
        let mut definition = types::Tool::new(name, schema_of::<H::Arguments>());
        definition.output_schema = H::Output::output_schema();
        let handler = Arc::new(Typed { handler, marker: PhantomData });
        Self { definition, handler, plan: Plan::default() }
    }

    /// Makes a tool of a schema and a function over raw arguments, which arrive byte for byte.
    pub fn raw<F, R, Answer>(name: impl Into<String>, input_schema: Box<RawValue>, handler: F) -> Self
    where
        F: Fn(Box<RawValue>, Context) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        let mut definition = types::Tool::new(name, input_schema);
        definition.output_schema = R::output_schema();
        Self { definition, handler: Arc::new(Raw(handler)), plan: Plan::default() }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns what clients are told of the tool.
    pub fn definition(&self) -> &types::Tool {
        &self.definition
    }

    /// Says what the tool does, for the model.
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

    /// Sets hints on how the tool behaves.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// Sets pictures of the tool.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = icons.into();
        self
    }

    /// Sets the schema of the structured result.
    #[must_use]
    pub fn output_schema(mut self, schema: Box<RawValue>) -> Self {
        self.definition.output_schema = Some(schema);
        self
    }

    /// Sets what the tool says about itself (`_meta`).
    #[must_use]
    pub fn meta(mut self, meta: Box<RawValue>) -> Self {
        self.definition.meta = Some(meta);
        self
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.definition.name).finish_non_exhaustive()
    }
}

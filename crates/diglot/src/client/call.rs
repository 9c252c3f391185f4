//! Calling a tool.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use diglot_proto::types::{Progress, ToolResult};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::client::arguments::Arguments;
use crate::client::live::Inner;
use crate::client::request::{Call, Options};
use crate::error::{Error, ProtocolError, Violation};

impl Client {
    /// Calls a tool: set options, then await.
    ///
    /// Dropping the future withdraws the call.
    ///
    /// # Errors
    ///
    /// A tool that fails is no error here but a result with [`ToolResult::is_error`], for the model to act on.
    pub fn call_tool(&self, name: impl Into<String>, arguments: impl Into<Arguments>) -> CallTool {
        CallTool {
            inner: self.inner.clone(),
            name: name.into(),
            arguments: arguments.into(),
            options: Options::default(),
        }
    }
}

/// A call of a tool that has not started yet; awaiting it starts it.
#[must_use = "a call does nothing until it is awaited"]
pub struct CallTool {
    inner: Arc<Inner>,
    name: String,
    arguments: Arguments,
    options: Options,
}

impl CallTool {
    /// Sets how long the call may take, in place of the client's setting.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Says that the tool may run a second time without harm, so that the call is repeated where the connection is lost.
    ///
    /// A tool's own word for it, its `idempotentHint`, is the server's; whether to trust it is the caller's to decide.
    pub fn repeatable(mut self) -> Self {
        self.options.is_repeatable = true;
        self
    }

    /// Asks the server for progress, and hears of it.
    ///
    /// The function runs between two reads of the answer, so it should return quickly.
    pub fn on_progress(mut self, listener: impl FnMut(Progress) + Send + 'static) -> Self {
        self.options.on_progress = Some(Box::new(listener));
        self
    }

    async fn run(self) -> Result<ToolResult, Error> {
        const METHOD: &str = "tools/call";
        let wrong = |what| ProtocolError::new(Violation::WrongShape(what), METHOD);
        let arguments = self.arguments.into_raw()?;
        let call = Call {
            method: METHOD.into(),
            params: Some(params(&self.name, arguments)),
            is_safe: false,
            takes_input: true,
        };
        let result = self.inner.request(&call, self.options).await?;
        ToolResult::read(&result).map_err(|fault| wrong(fault.reason).into())
    }
}

fn params(name: &str, arguments: Option<Box<RawValue>>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<Box<RawValue>>,
    }
    to_raw_value(&Params { name, arguments }).expect("raw JSON and text serialise")
}

impl IntoFuture for CallTool {
    type Output = Result<ToolResult, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl std::fmt::Debug for CallTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallTool").field("name", &self.name).finish_non_exhaustive()
    }
}

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
use crate::client::task::{self, Begun, Started, TaskHandle, TaskUse};
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
            task: TaskUse::default(),
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
    /// What is done about the task that the call may become.
    pub(super) task: TaskUse,
}

impl CallTool {
    /// Sets how long the call may take, in place of the client's setting.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
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
        let (inner, on_drop) = (self.inner.clone(), self.task.on_drop.or(self.inner.settings.tasks));
        let (budget, on_task) = (self.options.timeout, self.task.on_task);
        let call = call(&self.name, self.arguments)?;
        let Some(on_drop) = on_drop else { return result(&inner.request(&call, self.options).await?) };
        match task::begin(&inner, call, self.options, false).await? {
            Begun::Done(done) => result(&done),
            Begun::Task(task) => task::finish(&inner, task, on_drop, budget, on_task).await,
        }
    }

    /// Sends the call and takes what comes first: its result, or the task that it has become.
    pub(super) async fn begin(self) -> Result<Started, Error> {
        let call = call(&self.name, self.arguments)?;
        match task::begin(&self.inner, call, self.options, true).await? {
            Begun::Done(done) => result(&done).map(Started::Done),
            Begun::Task(task) => Ok(Started::Task(TaskHandle::created(self.inner, task))),
        }
    }
}

const METHOD: &str = "tools/call";

fn call(name: &str, arguments: Arguments) -> Result<Call, Error> {
    let params = Some(params(name, arguments.into_raw()?));
    Ok(Call { method: METHOD.into(), params, is_safe: false, takes_input: true })
}

fn result(result: &RawValue) -> Result<ToolResult, Error> {
    let read = ToolResult::read(result);
    read.map_err(|fault| ProtocolError::new(Violation::WrongShape(fault.reason), METHOD).into())
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

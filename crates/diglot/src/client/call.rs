//! Calling a tool.

use std::sync::Arc;

use diglot_proto::jsonrpc::codes;
use diglot_proto::types::ToolResult;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::client::arguments::Arguments;
use crate::client::live::Inner;
use crate::client::options::{Options, request};
use crate::client::request::Call;
use crate::client::task::{self, Begun, OnDrop, Started, TaskHandle, TaskUse};
use crate::client::tools::KnownTool;
use crate::error::{Error, ProtocolError, Violation};

const METHOD: &str = "tools/call";

impl Client {
    /// Calls a tool: set options, then await.
    ///
    /// Dropping the future withdraws the call. Over HTTP, a modern server may want parameters mirrored into headers: the
    /// list of tools says which. Where the client has not listed the tool, or knows an old list, the server refuses the
    /// call before it does anything; then the tools are listed and the call is made once more.
    ///
    /// # Errors
    ///
    /// A tool that fails is no error here but a result with [`ToolResult::is_error`], for the model to act on. A tool
    /// that was left out of the list since its headers break a rule is refused here, and not sent.
    pub fn call_tool(&self, name: impl Into<String>, arguments: impl Into<Arguments>) -> CallTool {
        CallTool {
            inner: self.inner.clone(),
            name: name.into(),
            arguments: arguments.into(),
            checks_output: self.inner.settings.checks_output,
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
    checks_output: bool,
    options: Options,
    /// What is done about the task that the call may become.
    pub(super) task: TaskUse,
}

request!(CallTool -> ToolResult);

impl CallTool {
    /// Says that the tool may run a second time without harm, so that the call is repeated where the connection is lost.
    ///
    /// A tool's own word for it, its `idempotentHint`, is the server's; whether to trust it is the caller's to decide.
    pub fn repeatable(mut self) -> Self {
        self.options.is_repeatable = true;
        self
    }

    /// Sets whether the structured result is checked against the tool's output schema, in place of the client's setting.
    ///
    /// A client that checks nothing keeps no schemas, so that its calls cannot be checked one by one.
    pub fn check_output(mut self, is_on: bool) -> Self {
        self.checks_output = is_on;
        self
    }

    async fn run(mut self) -> Result<ToolResult, Error> {
        let on_drop = self.task.on_drop.or(self.inner.settings.tasks);
        let (budget, on_task) = (self.options.timeout, self.task.on_task.take());
        self.options.takes_task = on_drop.is_some();
        let (begun, tool) = self.send(false).await?;
        let result = match begun {
            Begun::Done(result) => read(&result)?,
            Begun::Task(task) => {
                let on_drop = on_drop.unwrap_or(OnDrop::Cancel);
                task::finish(&self.inner, *task, on_drop, budget, on_task).await?
            }
        };
        self.check(tool.as_deref(), &result)?;
        Ok(result)
    }

    /// Sends the call and takes what comes first: its result, or the task that it has become.
    pub(super) async fn begin(mut self) -> Result<Started, Error> {
        self.options.takes_task = true;
        let (begun, tool) = self.send(true).await?;
        match begun {
            Begun::Done(result) => {
                let result = read(&result)?;
                self.check(tool.as_deref(), &result)?;
                Ok(Started::Done(result))
            }
            Begun::Task(task) => Ok(Started::Task(TaskHandle::created(self.inner.clone(), *task))),
        }
    }

    /// Sends the call, a second time where the server wants other headers, and tells what is known of the tool.
    async fn send(&mut self, prefers_task: bool) -> Result<(Begun, Option<Arc<KnownTool>>), Error> {
        let arguments = std::mem::replace(&mut self.arguments, ().into()).into_raw()?;
        let mut tool = self.inner.tools.find(&self.name);
        let call = Call {
            method: METHOD.into(),
            params: Some(params(&self.name, arguments.as_deref())),
            is_safe: false,
            takes_input: true,
        };
        self.options.param_headers = self.headers(tool.as_deref(), arguments.as_deref())?;
        let outcome = match task::begin(&self.inner, &call, &mut self.options, prefers_task).await {
            Err(error) if is_header_mismatch(&error) && self.inner.live().mirrors_params() => {
                tool = look_up(&self.inner, &self.name).await;
                let headers = self.headers(tool.as_deref(), arguments.as_deref())?;
                // With the same headers it would be the same call.
                match headers == self.options.param_headers {
                    true => Err(error),
                    false => {
                        self.options.param_headers = headers;
                        task::begin(&self.inner, &call, &mut self.options, prefers_task).await
                    }
                }
            }
            outcome => outcome,
        };
        Ok((outcome?, tool))
    }

    fn check(&self, tool: Option<&KnownTool>, result: &ToolResult) -> Result<(), Error> {
        match tool.filter(|_| self.checks_output) {
            Some(tool) => tool.check(result, self.inner.live().agreement.era()),
            None => Ok(()),
        }
    }

    /// Returns the headers that mirror the arguments, over a wire that has such.
    fn headers(
        &self,
        tool: Option<&KnownTool>,
        arguments: Option<&RawValue>,
    ) -> Result<Vec<(String, String)>, Error> {
        match tool.filter(|_| self.inner.live().mirrors_params()) {
            Some(tool) => tool.headers(arguments),
            None => Ok(Vec::new()),
        }
    }
}

fn read(result: &RawValue) -> Result<ToolResult, Error> {
    let read = ToolResult::read(result);
    read.map_err(|fault| ProtocolError::new(Violation::WrongShape(fault.reason), METHOD).into())
}

/// Looks for the tool in the server's list of now.
async fn look_up(inner: &Arc<Inner>, name: &str) -> Option<Arc<KnownTool>> {
    let client = Client { inner: inner.clone() };
    let mut pages = client.list_tools().fresh().pages();
    loop {
        let page = match pages.next().await {
            Ok(page) => page?,
            Err(error) => {
                tracing::debug!(%error, "the tools cannot be listed after a header mismatch");
                return None;
            }
        };
        // Learned once more, since there may be no room to remember it.
        if let Some(tool) = page.tools.iter().find(|tool| tool.name == name) {
            return Some(inner.tools.learn(tool));
        }
        if page.left_out.iter().any(|item| item.name.as_deref() == Some(name)) {
            return inner.tools.find(name);
        }
    }
}

/// Tells whether the server refuses a request since its headers do not mirror it.
fn is_header_mismatch(error: &Error) -> bool {
    match error {
        Error::Rpc(error) => error.code == codes::HEADER_MISMATCH,
        // The id may be missing: the server need not have read the body.
        Error::Http(detail) => detail.rpc.as_ref().is_some_and(|error| error.code == codes::HEADER_MISMATCH),
        _ => false,
    }
}

fn params(name: &str, arguments: Option<&RawValue>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<&'a RawValue>,
    }
    to_raw_value(&Params { name, arguments }).expect("raw JSON and text serialise")
}

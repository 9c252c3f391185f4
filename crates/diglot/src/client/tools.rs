//! What calls have to know of a tool: which parameters its headers mirror, and what its result has to fit.
//!
//! It is learned from every list of tools that the client reads. See "Custom Headers from Tool Parameters" in the
//! Streamable HTTP transport, and "Output Schema" of `server/tools`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use diglot_proto::http::param::{BadAnnotation, ParamHeaders};
use diglot_proto::jsonrpc::Notification;
use diglot_proto::types::{Tool, ToolResult};
use diglot_proto::version::Era;
use serde_json::value::RawValue;

use crate::client::settings::Settings;
use crate::error::{Error, ProtocolError, Violation};
use crate::schema::PeerSchema;

/// What is known of the tools that were listed, within a limit.
#[derive(Debug)]
pub(super) struct KnownTools {
    keeps_output: bool,
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    tools: HashMap<Box<str>, Arc<KnownTool>>,
    bytes: usize,
    has_warned: bool,
}

/// What is known of one tool.
#[derive(Debug)]
pub(super) struct KnownTool {
    headers: Result<ParamHeaders, BadAnnotation>,
    output: Option<Output>,
    /// How much memory it takes, in bytes.
    weight: usize,
}

/// The schema of a structured result, compiled when it is first needed.
#[derive(Debug)]
struct Output {
    schema: Box<RawValue>,
    checker: OnceLock<Option<PeerSchema>>,
}

impl KnownTools {
    /// Begins with no tool.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            keeps_output: settings.checks_output,
            most_bytes: settings.limits.known_tool_bytes,
            state: Mutex::default(),
        }
    }

    /// Learns a tool from a list, in the place of what was known of it.
    pub(super) fn learn(&self, tool: &Tool) -> Arc<KnownTool> {
        let known = Arc::new(KnownTool::of(tool, self.keeps_output));
        let mut state = self.state();
        state.remove(&tool.name);
        let is_plain = known.output.is_none() && known.headers.as_ref().is_ok_and(ParamHeaders::is_empty);
        if is_plain {
            return known;
        }
        if state.bytes + known.weight > self.most_bytes {
            if !std::mem::replace(&mut state.has_warned, true) {
                tracing::warn!(known_tool_bytes = self.most_bytes, "the tools are too large to remember all");
            }
            return known;
        }
        state.bytes += known.weight;
        state.tools.insert(tool.name.as_str().into(), known.clone());
        known
    }

    /// Returns what is known of a tool.
    pub(super) fn find(&self, name: &str) -> Option<Arc<KnownTool>> {
        self.state().tools.get(name).cloned()
    }

    /// Hears that the tools have changed: results need not fit the old schemas.
    ///
    /// The headers stay, since a server that wants others says so.
    pub(super) fn observe(&self, notification: &Notification<'_>) {
        if notification.method == "notifications/tools/list_changed" {
            self.forget_outputs();
        }
    }

    /// Forgets what results have to fit.
    pub(super) fn forget_outputs(&self) {
        for tool in self.state().tools.values_mut() {
            *tool = Arc::new(KnownTool { headers: tool.headers.clone(), output: None, weight: tool.weight });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, name: &str) {
        if let Some(known) = self.tools.remove(name) {
            self.bytes -= known.weight;
        }
    }
}

impl KnownTool {
    fn of(tool: &Tool, keeps_output: bool) -> Self {
        let output = tool.output_schema.clone().filter(|_| keeps_output);
        let headers = ParamHeaders::compile(&tool.input_schema);
        let mirrored = match headers.as_ref().is_ok_and(ParamHeaders::is_empty) {
            true => 0,
            false => tool.input_schema.get().len(),
        };
        Self {
            headers,
            weight: tool.name.len() + mirrored + output.as_ref().map_or(0, |schema| schema.get().len()),
            output: output.map(|schema| Output { schema, checker: OnceLock::new() }),
        }
    }

    /// Returns what is wrong with the annotations of the tool, so that it cannot be called over HTTP.
    pub(super) fn fault(&self) -> Option<&BadAnnotation> {
        self.headers.as_ref().err()
    }

    /// Returns the headers of a call with these arguments, their values encoded.
    pub(super) fn headers(&self, arguments: Option<&RawValue>) -> Result<Vec<(String, String)>, Error> {
        let headers = self.headers.as_ref().map_err(|fault| {
            Error::from(ProtocolError::new(Violation::UnusableTool(fault.to_string()), "tools/call"))
        })?;
        let headers = headers.extract(arguments).map_err(|unsafe_integer| {
            tracing::debug!(%unsafe_integer, "arguments cannot be mirrored");
            Error::Arguments("an integer that a header has to mirror lies beyond ±9007199254740991")
        })?;
        Ok(headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Checks a result against the tool's output schema; what has none, or one that cannot be used, fits.
    pub(super) fn check(&self, result: &ToolResult, era: Era) -> Result<(), Error> {
        let Some(output) = &self.output else { return Ok(()) };
        if result.is_error {
            return Ok(());
        }
        let unfit = |text: String| Err(ProtocolError::new(Violation::Unfit(text), "tools/call").into());
        let Some(structured) = &result.structured else {
            // Legacy servers can only structure objects, and some of them leave out whatever else.
            return match era {
                Era::Legacy => Ok(()),
                _ => unfit("there is no structured content".to_owned()),
            };
        };
        match output.checker() {
            Some(checker) => checker.check(structured).or_else(|misfit| unfit(misfit.to_string())),
            None => Ok(()),
        }
    }
}

impl Output {
    fn checker(&self) -> Option<&PeerSchema> {
        let compile = || match PeerSchema::compile(&self.schema) {
            Ok(checker) => Some(checker),
            Err(error) => {
                let error: String = error.chars().take(300).collect();
                tracing::warn!(error, "an output schema cannot be used; results are not checked against it");
                None
            }
        };
        self.checker.get_or_init(compile).as_ref()
    }
}

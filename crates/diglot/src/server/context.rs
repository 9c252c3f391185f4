//! What a handler can look up and do beside returning: the caller, progress, log messages, questions.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use diglot_proto::jsonrpc::{self, Id, RpcError, codes};
use diglot_proto::meta::TraceContext;
use diglot_proto::types::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams,
    ElicitResult, ElicitUrlParams, Fault, Implementation, ListRootsResult, LoggingLevel, Root,
};
use diglot_proto::version::{Era, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::schema::Checker;
use crate::server::ToolError;
use crate::server::arguments::schema_of;
use crate::server::form::{self, BadForm, spelling};
use crate::server::job::Caller;
use crate::server::outlet::Outlet;
use crate::server::questions::{self, Question, Questions};
use crate::server::task::Seat;

/// One request, as its handler sees it. Clones are the same request.
#[derive(Clone)]
pub struct Context {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    /// The server, whose type only those who make servers know.
    pub(crate) server: Arc<dyn Any + Send + Sync>,
    pub(crate) id: Id,
    pub(crate) caller: Arc<Caller>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) questions: Questions,
    /// The `_meta` of the request.
    pub(crate) meta: Option<Box<RawValue>>,
    /// The values of a resource template's variables.
    pub(crate) variables: Vec<(String, String)>,
    /// The last progress told: a client may rely on its rising.
    pub(crate) progress: Mutex<f64>,
    /// The task that the request has become, if it has.
    pub(crate) seat: Seat,
}

impl Context {
    /// Returns the revision that the caller speaks.
    pub fn revision(&self) -> Revision {
        self.inner.caller.revision
    }

    /// Returns the era of the caller.
    pub fn era(&self) -> Era {
        self.inner.caller.era()
    }

    /// Returns the id of the request.
    pub fn request_id(&self) -> &Id {
        &self.inner.id
    }

    /// Returns the client's name and version, as it gives them.
    pub fn client(&self) -> Option<Implementation> {
        self.inner.caller.client.as_deref().and_then(|client| Implementation::read(client).ok())
    }

    /// Returns what the client can do: what it declares in the request, or in a legacy session once and for all.
    ///
    /// A capability that cannot be read counts as absent. Without a session a legacy client has none that is known.
    pub fn client_capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::read(self.client_capabilities_raw()).unwrap_or_default()
    }

    /// Returns the client's capabilities as it wrote them.
    pub fn client_capabilities_raw(&self) -> &RawValue {
        &self.inner.caller.capabilities
    }

    /// Returns who the caller is, where something before the server has found out.
    pub fn principal(&self) -> Option<&str> {
        self.inner.caller.facts.principal.as_deref()
    }

    /// Returns what the binding hands on, by its type: the `http::request::Parts` of an HTTP request.
    pub fn parts<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.caller.facts.parts.as_deref()?.as_any().downcast_ref()
    }

    /// Returns the `_meta` of the request, with the reserved keys in it.
    pub fn meta(&self) -> Option<&RawValue> {
        self.inner.meta.as_deref()
    }

    /// Returns the trace context of the request, as far as it has the form that W3C gives it; it may be empty.
    pub fn trace_context(&self) -> TraceContext {
        self.meta().map(TraceContext::read).unwrap_or_default()
    }

    /// Returns an entry of the request's `_meta`, by its key.
    pub fn meta_entry<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let object = diglot_proto::object::Object::read(self.meta()?)?;
        serde_json::from_str(object.member(key)?.get()).ok()
    }

    /// Returns the value of a variable of the resource template that matched.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.inner.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Tells how far the request has come, in units of the handler's own.
    ///
    /// Nothing is sent unless the client asked for it, and nothing that does not rise. In a task, the message becomes
    /// what the task says of itself, since tasks have no other progress.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(task) = self.inner.seat.task() {
            return message.into_iter().for_each(|message| task.say(message));
        }
        let Some(token) = self.inner.caller.progress_token.as_deref() else { return };
        {
            let mut last = self.inner.progress.lock().unwrap_or_else(PoisonError::into_inner);
            if !progress.is_finite() || progress <= *last {
                return;
            }
            *last = progress;
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            progress_token: &'a RawValue,
            progress: f64,
            #[serde(skip_serializing_if = "Option::is_none")]
            total: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<&'a str>,
        }
        // The first revision has no message.
        let message = message.filter(|_| self.revision() > Revision::V2024_11_05);
        self.notify("notifications/progress", &Params { progress_token: token, progress, total, message });
    }

    /// Logs a message to the client: any value that serialises, from a named part of the server.
    ///
    /// Nothing is sent unless the client wants messages of this level: a modern one says so in the request.
    pub fn log(&self, level: LoggingLevel, logger: Option<&str>, data: impl Serialize) {
        let wanted =
            self.inner.caller.log_rank.is_some_and(|least| level.rank().is_none_or(|rank| rank >= least));
        if !wanted {
            return;
        }
        #[derive(Serialize)]
        struct Params<'a, D> {
            level: &'a LoggingLevel,
            #[serde(skip_serializing_if = "Option::is_none")]
            logger: Option<&'a str>,
            data: D,
        }
        self.notify("notifications/message", &Params { level: &level, logger, data });
    }

    /// Makes a task of the call, which then goes on after its request is answered.
    ///
    /// It is for tools that [say themselves](crate::Tool::starts_task_itself) when that is. Where the call is a task
    /// already, or cannot become one since the client knows of none, nothing happens.
    ///
    /// # Errors
    ///
    /// There are too many tasks, or they cannot be kept.
    pub async fn start_task(&self) -> Result<(), ToolError> {
        self.inner.seat.ask().await.map_err(ToolError::protocol)
    }

    /// Returns the id of the task that the call has become.
    pub fn task_id(&self) -> Option<String> {
        Some(self.inner.seat.task()?.id().to_owned())
    }

    /// Says how the task stands, for people; outside of a task nothing happens.
    pub fn task_message(&self, message: impl Into<String>) {
        if let Some(task) = self.inner.seat.task() {
            task.say(message);
        }
    }

    /// Closes the event stream of the request, so that no connection is held while the handler goes on.
    ///
    /// The client comes back for the rest, as revision 2025-11-25 has it. Wherever that is not possible, over other
    /// wires and at other revisions, nothing happens.
    pub fn close_stream(&self) {
        self.inner.outlet.hang_up();
    }

    fn notify(&self, method: &str, params: &impl Serialize) {
        // The request of a task is answered: nothing more is sent about it.
        if self.inner.seat.task().is_some() {
            return;
        }
        if let Ok(params) = to_raw_value(params) {
            self.inner.outlet.notify(jsonrpc::write_notification(method, Some(&params)));
        }
    }

    /// Asks the user to fill a form, whose fields are those of the type.
    ///
    /// `name` tells the question from others of the same request and must stay the same when the handler runs again. The
    /// form is that of [`form_of`](crate::server::form_of), in the spelling of the client's revision. A modern client is
    /// asked once more for an answer that does not fit the type.
    ///
    /// # Errors
    ///
    /// `?` on the error is right: it suspends the handler until a modern client has the answer, and tells the model
    /// where the user declined or went away. A type that is no form fails the request before anyone is asked, whoever
    /// the client is (`-32603`).
    pub async fn elicit<T: DeserializeOwned + JsonSchema>(
        &self,
        name: &str,
        message: impl Into<String>,
    ) -> Result<T, ToolError> {
        let form = form::form_of::<T>().map_err(no_form)?;
        let params = ElicitFormParams::new(message, form.to_raw());
        // The form says less than the type does: its patterns and the limits that no form has.
        let checker = Checker::compile(&schema_of::<T>()).map_err(ToolError::new)?;
        loop {
            let result = self.elicit_form(name, params.clone()).await?;
            if result.action != ElicitAction::Accept {
                return Err(ToolError::new(format!("the user did not answer the question {name:?}")));
            }
            let fitting = result.content.as_deref().filter(|content| checker.check(content).is_ok());
            match fitting.and_then(|content| serde_json::from_str(content.get()).ok()) {
                Some(answer) => return Ok(answer),
                // A task asks at most as often as its limit allows.
                None if self.inner.seat.task().is_some() && self.era() == Era::Modern => {}
                None => return self.ask_again(name, &params),
            }
        }
    }

    /// A modern client is asked once more for an answer that does not fit; a legacy one has had its say.
    fn ask_again<T>(&self, name: &str, params: &ElicitFormParams) -> Result<T, ToolError> {
        if self.era() == Era::Legacy {
            return Err(ToolError::new(format!("the answer to the question {name:?} does not fit its form")));
        }
        let params = to_raw_value(params).ok();
        self.inner.questions.note(Question { name: name.to_owned(), method: "elicitation/create", params });
        Err(ToolError::suspended())
    }

    /// Asks the user to fill a form, and returns what the user did.
    ///
    /// The form is sent in the spelling of the client's revision: at `2025-06-18` it has no defaults but for yes and no.
    ///
    /// # Errors
    ///
    /// As [`elicit`](Self::elicit), but that the user may decline. A form with a field that no client could show, or that
    /// the client's revision does not have, fails the request (`-32603`).
    pub async fn elicit_form(&self, name: &str, params: ElicitFormParams) -> Result<ElicitResult, ToolError> {
        let raw = to_raw_value(&spelling::form(params, self.revision()).map_err(no_form)?)?;
        let answer = self.ask(name, "elicitation/create", Some(raw)).await?;
        self.understood(name, ElicitResult::read(&answer))
    }

    /// Asks the user to open an address.
    ///
    /// # Errors
    ///
    /// As [`elicit`](Self::elicit), but that the user may decline.
    pub async fn elicit_url(&self, name: &str, params: ElicitUrlParams) -> Result<ElicitResult, ToolError> {
        let params = spelling::url(params, self.revision());
        let answer = self.ask(name, "elicitation/create", Some(to_raw_value(&params)?)).await?;
        self.understood(name, ElicitResult::read(&answer))
    }

    /// Asks the client's model.
    pub async fn sample(
        &self,
        name: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, ToolError> {
        let answer = self.ask(name, "sampling/createMessage", Some(to_raw_value(&params)?)).await?;
        self.understood(name, CreateMessageResult::read(&answer))
    }

    /// Asks for the client's roots.
    pub async fn roots(&self, name: &str) -> Result<Vec<Root>, ToolError> {
        let answer = self.ask(name, "roots/list", None).await?;
        Ok(self.understood(name, ListRootsResult::read(&answer))?.roots)
    }

    /// Takes an answer, unless it is none: then a modern request has bad parameters, and a legacy tool has failed.
    fn understood<T>(&self, name: &str, answer: Result<T, Fault>) -> Result<T, ToolError> {
        answer.map_err(|fault| {
            let what = format!("the answer to the question {name:?} cannot be read: {fault}");
            match self.era() {
                Era::Legacy => ToolError::new(what),
                _ => ToolError::invalid_params(what),
            }
        })
    }

    async fn ask(
        &self,
        name: &str,
        method: &'static str,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, ToolError> {
        let inner = &self.inner;
        if let Some(task) = inner.seat.task() {
            questions::needs(&inner.caller, method, params.as_deref())?;
            return task.ask(name, method, params, inner.questions.known(name)).await;
        }
        inner.questions.ask(name, method, params, &inner.caller, &*inner.outlet).await
    }
}

/// A form that nobody could fill is a fault of the server, which no model can mend.
fn no_form(bad: BadForm) -> ToolError {
    ToolError::protocol(RpcError::new(codes::INTERNAL_ERROR, bad.to_string()))
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("id", &self.inner.id)
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}

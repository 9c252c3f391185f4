//! The other methods of a server: resources, prompts, completions, and what is not in the specification at all.

use std::borrow::Cow;
use std::sync::Arc;

use diglot_proto::types::{
    CompleteResult, Completion, Fault, GetPromptResult, LoggingLevel, ReadResourceResult,
};
use diglot_proto::version::Era;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::arguments::Arguments;
use crate::client::cache::Caching;
use crate::client::live::Inner;
use crate::client::options::{Options, request};
use crate::client::request::Call;
use crate::client::{Client, failure, remedy};
use crate::error::{Error, LossCause, Lost, ProtocolError, Violation};
use crate::transport::{Inbound, Outbound};

impl Client {
    /// Reads a resource: set options, then await.
    ///
    /// What a modern server lets the client keep is not read again while it is fresh.
    pub fn read_resource(&self, uri: &str) -> ReadResource {
        let options = Options { caching: Caching::Use, ..Options::default() };
        ReadResource { inner: self.inner.clone(), params: raw(&json!({ "uri": uri })), options }
    }

    /// Gets a prompt, filled by its arguments: set options, then await.
    ///
    /// # Errors
    ///
    /// Besides what the server answers: the arguments are no JSON object.
    pub fn prompt(&self, name: &str, arguments: impl Into<Arguments>) -> GetPrompt {
        GetPrompt {
            inner: self.inner.clone(),
            name: name.to_owned(),
            arguments: arguments.into(),
            options: Options::default(),
        }
    }

    /// Asks how the argument of a prompt may go on: set options, then await.
    pub fn complete_prompt(&self, prompt: &str, argument: &str, value: &str) -> Complete {
        self.complete(&json!({ "type": "ref/prompt", "name": prompt }), argument, value)
    }

    /// Asks how the variable of a resource template may go on: set options, then await.
    pub fn complete_template(&self, template: &str, variable: &str, value: &str) -> Complete {
        self.complete(&json!({ "type": "ref/resource", "uri": template }), variable, value)
    }

    fn complete(&self, reference: &serde_json::Value, name: &str, value: &str) -> Complete {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        Complete { inner: self.inner.clone(), params, options: Options::default() }
    }

    /// Asks a legacy server whether it is there; a modern one has no such method, so it is asked what it is.
    pub async fn ping(&self) -> Result<(), Error> {
        let method = match self.era() {
            Era::Legacy => "ping",
            _ => "server/discover",
        };
        let call = Call { method: method.into(), params: None, is_safe: true, takes_input: false };
        self.inner.request(&call, Options::default()).await.map(drop)
    }

    /// Sets from which level on the server logs to the client.
    ///
    /// A legacy server is told once, and again where its session is opened anew. A modern one is told with each request,
    /// which starts with the next one.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), Error> {
        match self.era() {
            Era::Legacy => {
                const METHOD: &str = "logging/setLevel";
                let params = raw(&json!({ "level": level }));
                self.ask(METHOD, params.clone()).await?;
                self.inner.restoration.keep(METHOD, params);
                Ok(())
            }
            _ => {
                self.inner.set_log_level(level);
                Ok(())
            }
        }
    }

    /// Sends a request of any method, with parameters as raw JSON that go out byte for byte, and returns the raw result.
    ///
    /// The envelope of the modern era is added to them; what the server asks for first is answered by the handlers. The
    /// cache has nothing to do with it.
    pub fn request(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<Box<RawValue>>,
    ) -> CustomRequest {
        CustomRequest {
            inner: self.inner.clone(),
            method: method.into(),
            params,
            options: Options::default(),
        }
    }

    /// Sends a notification of any method, and returns when it is delivered.
    ///
    /// # Errors
    ///
    /// One that meets a session that the server has lost is not sent again; the session is open again then, if it can be.
    pub async fn notify(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<Box<RawValue>>,
    ) -> Result<(), Error> {
        let live = self.inner.live();
        let outbound = Outbound::notification(method, params.as_deref()).at(live.agreement.revision);
        match live.wire.connection.send(outbound).await?.next().await.transpose()? {
            Some(Inbound::Http(reply)) if !reply.is_success() => match remedy::lost_session(&reply) {
                Some(lost) if live.agreement.era() == Era::Legacy => {
                    let cause = LossCause::Session(lost);
                    let reopening = self.inner.reopen(&live, cause.again()).await;
                    Err(Lost::new("a notification", cause, reopening).into())
                }
                _ => Err(failure::reply(*reply, "a notification")),
            },
            _ => Ok(()),
        }
    }

    async fn ask(&self, method: &'static str, params: Box<RawValue>) -> Result<Box<RawValue>, Error> {
        let call = Call { method: method.into(), params: Some(params), is_safe: true, takes_input: false };
        self.inner.request(&call, Options::default()).await
    }
}

/// The reading of a resource that has not started yet; awaiting it starts it.
#[must_use = "a request does nothing until it is awaited"]
pub struct ReadResource {
    inner: Arc<Inner>,
    params: Box<RawValue>,
    options: Options,
}

request!(ReadResource -> ReadResourceResult);

impl ReadResource {
    /// Asks the server in any case, also for what is still fresh.
    pub fn fresh(mut self) -> Self {
        self.options.caching = Caching::Renew;
        self
    }

    async fn run(mut self) -> Result<ReadResourceResult, Error> {
        const METHOD: &str = "resources/read";
        let call =
            Call { method: METHOD.into(), params: Some(self.params), is_safe: true, takes_input: true };
        let fetched = self.inner.fetch(&call, &mut self.options).await?;
        ReadResourceResult::read(&fetched.result).map_err(|fault| wrong(METHOD, &fault))
    }
}

/// The filling of a prompt that has not started yet; awaiting it starts it.
#[must_use = "a request does nothing until it is awaited"]
pub struct GetPrompt {
    inner: Arc<Inner>,
    name: String,
    arguments: Arguments,
    options: Options,
}

request!(GetPrompt -> GetPromptResult);

impl GetPrompt {
    async fn run(self) -> Result<GetPromptResult, Error> {
        const METHOD: &str = "prompts/get";
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            arguments: Option<Box<RawValue>>,
        }
        let params = raw(&Params { name: &self.name, arguments: self.arguments.into_raw()? });
        let call = Call { method: METHOD.into(), params: Some(params), is_safe: true, takes_input: true };
        let result = self.inner.request(&call, self.options).await?;
        GetPromptResult::read(&result).map_err(|fault| wrong(METHOD, &fault))
    }
}

/// A question for completions that has not started yet; awaiting it starts it.
#[must_use = "a request does nothing until it is awaited"]
pub struct Complete {
    inner: Arc<Inner>,
    params: serde_json::Value,
    options: Options,
}

request!(Complete -> Completion);

impl Complete {
    /// Tells the server what other arguments are filled in already, by their names.
    pub fn context<N: Into<String>, V: Into<String>>(
        mut self,
        arguments: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let filled: serde_json::Map<_, _> =
            arguments.into_iter().map(|(name, value)| (name.into(), value.into().into())).collect();
        if let Some(params) = self.params.as_object_mut() {
            params.insert("context".to_owned(), json!({ "arguments": filled }));
        }
        self
    }

    async fn run(self) -> Result<Completion, Error> {
        const METHOD: &str = "completion/complete";
        let params = Some(raw(&self.params));
        let call = Call { method: METHOD.into(), params, is_safe: true, takes_input: false };
        let result = self.inner.request(&call, self.options).await?;
        let result = CompleteResult::read(&result).map_err(|fault| wrong(METHOD, &fault))?;
        Ok(result.completion)
    }
}

/// A request of any method that has not started yet; awaiting it starts it.
#[must_use = "a request does nothing until it is awaited"]
pub struct CustomRequest {
    inner: Arc<Inner>,
    method: Cow<'static, str>,
    params: Option<Box<RawValue>>,
    options: Options,
}

request!(CustomRequest -> Box<RawValue>);

impl CustomRequest {
    async fn run(self) -> Result<Box<RawValue>, Error> {
        let call = Call { method: self.method, params: self.params, is_safe: false, takes_input: true };
        self.inner.request(&call, self.options).await
    }
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("text and raw JSON serialise")
}

fn wrong(method: &'static str, fault: &Fault) -> Error {
    let mut error =
        ProtocolError::new(Violation::WrongShape("a member is missing or of another shape"), method);
    error.excerpt = fault.to_string();
    error.into()
}

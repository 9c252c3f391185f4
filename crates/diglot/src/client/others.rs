//! The other methods of a server: resources, prompts, completions, and what is not in the specification at all.

use std::borrow::Cow;

use diglot_proto::types::{
    CompleteResult, Completion, Fault, GetPromptResult, LoggingLevel, ReadResourceResult,
};
use diglot_proto::version::Era;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::client::arguments::Arguments;
use crate::client::request::{Call, Options};
use crate::error::{Error, ProtocolError, Violation};
use crate::transport::Outbound;

impl Client {
    /// Reads a resource.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, Error> {
        let result = self.ask("resources/read", raw(&json!({ "uri": uri })), true, true).await?;
        ReadResourceResult::read(&result).map_err(|fault| wrong("resources/read", &fault))
    }

    /// Gets a prompt, filled by its arguments.
    ///
    /// # Errors
    ///
    /// Besides what the server answers: the arguments are no JSON object.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> Result<GetPromptResult, Error> {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            arguments: Option<Box<RawValue>>,
        }
        let arguments = arguments.into().into_raw()?;
        let result = self.ask("prompts/get", raw(&Params { name, arguments }), true, true).await?;
        GetPromptResult::read(&result).map_err(|fault| wrong("prompts/get", &fault))
    }

    /// Asks how the argument of a prompt may go on.
    pub async fn complete_prompt(
        &self,
        prompt: &str,
        argument: &str,
        value: &str,
    ) -> Result<Completion, Error> {
        self.complete(&json!({ "type": "ref/prompt", "name": prompt }), argument, value).await
    }

    /// Asks how the variable of a resource template may go on.
    pub async fn complete_template(
        &self,
        template: &str,
        variable: &str,
        value: &str,
    ) -> Result<Completion, Error> {
        self.complete(&json!({ "type": "ref/resource", "uri": template }), variable, value).await
    }

    async fn complete(
        &self,
        reference: &serde_json::Value,
        name: &str,
        value: &str,
    ) -> Result<Completion, Error> {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        let result = self.ask("completion/complete", raw(&params), true, false).await?;
        let result = CompleteResult::read(&result).map_err(|fault| wrong("completion/complete", &fault))?;
        Ok(result.completion)
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
    /// A legacy server is told once, and again where its session is opened anew. A modern one is told with each request, which starts with the next one.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), Error> {
        match self.era() {
            Era::Legacy => {
                const METHOD: &str = "logging/setLevel";
                let params = raw(&json!({ "level": level }));
                self.ask(METHOD, params.clone(), true, false).await?;
                self.inner.restoration.keep(METHOD, "", params);
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
    /// The envelope of the modern era is added to them; what the server asks for first is answered by the handlers.
    pub async fn request(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, Error> {
        let call = Call { method: method.into(), params, is_safe: false, takes_input: true };
        self.inner.request(&call, Options::default()).await
    }

    /// Sends a notification of any method, and returns when it is delivered.
    pub async fn notify(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<Box<RawValue>>,
    ) -> Result<(), Error> {
        let live = self.inner.live();
        let outbound = Outbound::notification(method, params.as_deref()).at(live.agreement.revision);
        match live.wire.connection.send(outbound).await?.next().await.transpose()? {
            Some(crate::transport::Inbound::Http(reply)) if !reply.is_success() => {
                Err(crate::client::failure::reply(*reply, "a notification"))
            }
            _ => Ok(()),
        }
    }

    async fn ask(
        &self,
        method: &'static str,
        params: Box<RawValue>,
        is_safe: bool,
        takes_input: bool,
    ) -> Result<Box<RawValue>, Error> {
        let call = Call { method: method.into(), params: Some(params), is_safe, takes_input };
        self.inner.request(&call, Options::default()).await
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

//! Questions to the user of the client, in both eras.
//!
//! A legacy client is asked in place. A modern one gets the question as the result (`input_required`) and asks again with
//! the answer, so a handler runs from its beginning once more and finds the answer where it asked.

use std::sync::{Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::object::Object;
use diglot_proto::version::Era;
use serde_json::value::RawValue;

use crate::server::ToolError;
use crate::server::job::Caller;
use crate::server::outlet::Outlet;

/// The questions of one request.
#[derive(Default)]
pub(crate) struct Questions {
    /// What is known already, by the questions' names.
    answers: Vec<(String, Box<RawValue>)>,
    asked: Mutex<Vec<Question>>,
}

/// One question that still needs its answer.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) method: &'static str,
    pub(crate) params: Option<Box<RawValue>>,
}

impl Questions {
    /// Begins with the answers that are known.
    pub(crate) fn new(answers: Vec<(String, Box<RawValue>)>) -> Self {
        Self { answers, asked: Mutex::default() }
    }

    /// Returns what was known from the beginning.
    pub(crate) fn answers(&self) -> &[(String, Box<RawValue>)] {
        &self.answers
    }

    /// Takes the questions that were asked and not answered.
    pub(crate) fn take_asked(&self) -> Vec<Question> {
        std::mem::take(&mut *self.asked())
    }

    /// Tells whether a question was asked that is not answered.
    pub(crate) fn has_asked(&self) -> bool {
        !self.asked().is_empty()
    }

    /// Returns what was known of a question from the beginning.
    pub(crate) fn known(&self, name: &str) -> Option<&RawValue> {
        self.answers.iter().find(|(known, _)| known == name).map(|(_, answer)| &**answer)
    }

    /// Asks, in the way of the caller's era.
    pub(crate) async fn ask(
        &self,
        name: &str,
        method: &'static str,
        params: Option<Box<RawValue>>,
        caller: &Caller,
        outlet: &dyn Outlet,
    ) -> Result<Box<RawValue>, ToolError> {
        needs(caller, method, params.as_deref())?;
        if caller.era() == Era::Legacy {
            return outlet.ask(method, params).await.map_err(ToolError::protocol);
        }
        if let Some(answer) = self.known(name) {
            return Ok(answer.to_owned());
        }
        self.note(Question { name: name.to_owned(), method, params });
        // Questions that are asked at the same time are all noted before the first of them gives up.
        tokio::task::yield_now().await;
        Err(ToolError::suspended())
    }

    /// Asks again for an answer that could not be used.
    pub(crate) fn note(&self, question: Question) {
        let mut asked = self.asked();
        if !asked.iter().any(|known| known.name == question.name) {
            asked.push(question);
        }
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Question>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a question that the client did not declare it can answer.
pub(crate) fn needs(caller: &Caller, method: &str, params: Option<&RawValue>) -> Result<(), ToolError> {
    let (capability, required) = match method {
        "elicitation/create" => match is_url(params) {
            true => ("elicitation", r#"{"elicitation":{"url":{}}}"#),
            false => ("elicitation", r#"{"elicitation":{}}"#),
        },
        "sampling/createMessage" => ("sampling", r#"{"sampling":{}}"#),
        _ => ("roots", r#"{"roots":{}}"#),
    };
    let declared = Object::read(&caller.capabilities).unwrap_or_default();
    let has_mode = !is_url(params) || declared.object(capability).is_some_and(|modes| modes.has("url"));
    if declared.member(capability).is_some() && has_mode {
        return Ok(());
    }
    if caller.era() == Era::Legacy {
        return Err(ToolError::new(format!("this client does not offer {capability}, which the tool needs")));
    }
    let message = format!("the request needs the client capability {capability}");
    let data =
        RawValue::from_string(format!(r#"{{"requiredCapabilities":{required}}}"#)).expect("it is JSON");
    Err(ToolError::protocol(RpcError::new(codes::MISSING_CLIENT_CAPABILITY, message).with_data(data)))
}

fn is_url(params: Option<&RawValue>) -> bool {
    params.and_then(Object::read).and_then(|params| params.string("mode")).is_some_and(|mode| mode == "url")
}

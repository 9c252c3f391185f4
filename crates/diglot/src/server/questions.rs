//! Questions to the user of the client, in both eras.
//!
//! A legacy client is asked in place. A modern one gets the question as the result (`input_required`) and asks again with
//! the answer, so a handler runs from its beginning once more and finds the answer where it asked.

use std::sync::{Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::object::Object;
use diglot_proto::version::Era;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

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

/// What a client must have declared before it is asked.
struct Need {
    capability: &'static str,
    /// The part of the capability without which this question cannot be asked.
    part: Option<&'static str>,
}

impl Need {
    fn of(method: &str, params: Option<&RawValue>) -> Self {
        let params = params.and_then(Object::read).unwrap_or_default();
        let is_url = params.string("mode").is_some_and(|mode| mode == "url");
        let has_tools = params.has("tools") || params.has("toolChoice");
        let (capability, part) = match method {
            "elicitation/create" if is_url => ("elicitation", Some("url")),
            "elicitation/create" => ("elicitation", Some("form")),
            "sampling/createMessage" if has_tools => ("sampling", Some("tools")),
            "sampling/createMessage" => ("sampling", None),
            _ => ("roots", None),
        };
        Self { capability, part }
    }

    fn is_met_by(&self, declared: &Object<'_>) -> bool {
        if declared.member(self.capability).is_none() {
            return false;
        }
        let parts = declared.object(self.capability).unwrap_or_default();
        match self.part {
            // Who says nothing of modes takes forms.
            Some("form") => parts.has("form") || !parts.has("url"),
            Some(part) => parts.has(part),
            None => true,
        }
    }

    /// Names what is missing, as the capabilities of a client are written.
    fn missing(&self, declared: &Object<'_>) -> serde_json::Value {
        let is_part = self.part != Some("form") || declared.member(self.capability).is_some();
        match self.part.filter(|_| is_part) {
            Some(part) => json!({ self.capability: { part: {} } }),
            None => json!({ self.capability: {} }),
        }
    }
}

/// Refuses a question that the client did not declare it can answer.
///
/// One that declares more than its revision has knows what it says.
pub(crate) fn needs(caller: &Caller, method: &str, params: Option<&RawValue>) -> Result<(), ToolError> {
    let need = Need::of(method, params);
    let declared = Object::read(&caller.capabilities).unwrap_or_default();
    if need.is_met_by(&declared) {
        return Ok(());
    }
    let word = match need.part.filter(|part| *part != "form") {
        Some(part) => format!("{}.{part}", need.capability),
        None => need.capability.to_owned(),
    };
    if caller.era() == Era::Legacy {
        return Err(ToolError::new(format!("this client does not offer {word}, which the tool needs")));
    }
    let message = format!("the request needs the client capability {word}");
    let data = to_raw_value(&json!({ "requiredCapabilities": need.missing(&declared) }));
    let data = data.expect("literals serialise");
    Err(ToolError::protocol(RpcError::new(codes::MISSING_CLIENT_CAPABILITY, message).with_data(data)))
}

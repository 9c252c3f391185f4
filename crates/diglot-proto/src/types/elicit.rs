//! Elicitation: a server asks the user something, in a form or at an address.

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{Fault, LeftOut, TaskMetadata};

words! {
    /// Says how the user is asked.
    ElicitMode {
        /// By a form that the client shows.
        Form "form",
        /// At an address that the client opens.
        Url "url",
    }
}

record! {
    /// Asks for a form to be filled (`client/elicitation`).
    ElicitFormParams {
        /// The mode, which is `form`; the revisions before 2025-11-25 have no such member.
        optional mode: ElicitMode = "mode";
        /// What is asked and why.
        required message: String = "message";
        /// The form, a [`RequestedSchema`](crate::types::RequestedSchema) as it came.
        required requested_schema: Box<RawValue> as AnyObject = "requestedSchema";
        /// Asks that the request run as a task, in revision 2025-11-25.
        optional task: TaskMetadata = "task";
    } with meta
}

record! {
    /// Asks for an address to be opened (`client/elicitation`).
    ///
    /// Nothing that the user enters there passes through the client.
    ElicitUrlParams {
        ["mode" = "url"]
        /// What is asked and why.
        required message: String = "message";
        /// The name of this elicitation, which only revision 2025-11-25 has, and demands.
        optional elicitation_id: String = "elicitationId";
        /// The address.
        required url: String = "url";
        /// Asks that the request run as a task, in revision 2025-11-25.
        optional task: TaskMetadata = "task";
    } with meta
}

/// The parameters of `elicitation/create`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ElicitParams {
    /// A form.
    Form(ElicitFormParams),
    /// An address.
    Url(ElicitUrlParams),
    /// A mode that this crate does not know, as it came.
    Other(Box<RawValue>),
}

impl ElicitParams {
    /// Reads parameters by their `mode`; without one they are a form.
    ///
    /// # Errors
    ///
    /// [`Fault`] names what they lack.
    pub fn read(raw: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::NOT_AN_OBJECT)?;
        match object.string("mode").as_deref() {
            None | Some("form") => ElicitFormParams::read(raw).map(Self::Form),
            Some("url") => ElicitUrlParams::read(raw).map(Self::Url),
            Some(_) => Ok(Self::Other(raw.to_owned())),
        }
    }
}

impl From<ElicitFormParams> for ElicitParams {
    fn from(params: ElicitFormParams) -> Self {
        Self::Form(params)
    }
}

impl From<ElicitUrlParams> for ElicitParams {
    fn from(params: ElicitUrlParams) -> Self {
        Self::Url(params)
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(params) => params.serialize(serializer),
            Self::Url(params) => params.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl Field for ElicitParams {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}

words! {
    /// Says what the user did.
    ElicitAction {
        /// Filled the form, or agreed to open the address.
        Accept "accept",
        /// Said no.
        Decline "decline",
        /// Went away without an answer.
        Cancel "cancel",
    }
}

record! {
    /// What the user answered.
    ElicitResult {
        /// What the user did.
        required action: ElicitAction = "action";
        /// What was entered in the form, an object; nothing unless it was accepted.
        optional content: Box<RawValue> as AnyObject = "content";
    } with meta
}

impl ElicitResult {
    /// Makes the answer of a user who filled the form.
    pub fn accept(content: Box<RawValue>) -> Self {
        Self::new(ElicitAction::Accept).content(content)
    }

    /// Makes the answer of a user who said no.
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// Makes the answer of a user who gave none.
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }

    /// Reads what was entered as a type; nothing unless it was accepted.
    ///
    /// # Errors
    ///
    /// What was entered has another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        match (&self.action, &self.content) {
            (ElicitAction::Accept, Some(content)) => serde_json::from_str(content.get()).map(Some),
            _ => Ok(None),
        }
    }
}

record! {
    /// The parameters of `notifications/elicitation/complete`, in revision 2025-11-25.
    ElicitationCompleteParams {
        /// The name of the elicitation that is over.
        required elicitation_id: String = "elicitationId";
    } with meta
}

//! What a modern server needs from the client before it can answer: requests within a result, and their answers.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{CreateMessageParams, ElicitParams, Fault, LeftOut};

/// One request to the client within an [`InputRequiredResult`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`.
    Elicit(ElicitParams),
    /// `sampling/createMessage`.
    CreateMessage(Box<CreateMessageParams>),
    /// `roots/list`.
    ListRoots,
    /// One of another method, or one that lacks what its method demands, as it came.
    ///
    /// It must not be passed over: without an answer to it the server cannot go on.
    Other(Box<RawValue>),
}

impl InputRequest {
    /// Reads a request by its method.
    ///
    /// # Errors
    ///
    /// [`Fault`] says that it has no method, or names what its parameters lack.
    pub fn read(raw: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::NOT_AN_OBJECT)?;
        let params = object.member("params").ok_or(Fault::new("params", "it has no params"));
        match object.string("method").as_deref() {
            Some("elicitation/create") => ElicitParams::read(params?).map(Self::Elicit),
            Some("sampling/createMessage") => {
                CreateMessageParams::read(params?).map(|params| Self::CreateMessage(Box::new(params)))
            }
            Some("roots/list") => Ok(Self::ListRoots),
            Some(_) => Ok(Self::Other(raw.to_owned())),
            None => Err(Fault::new("method", "it has no method")),
        }
    }

    /// Returns the method, unless it is unknown.
    pub fn method(&self) -> Option<&'static str> {
        match self {
            Self::Elicit(_) => Some("elicitation/create"),
            Self::CreateMessage(_) => Some("sampling/createMessage"),
            Self::ListRoots => Some("roots/list"),
            Self::Other(_) => None,
        }
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Other(raw) = self {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", &self.method())?;
        match self {
            Self::Elicit(params) => map.serialize_entry("params", params)?,
            Self::CreateMessage(params) => map.serialize_entry("params", params)?,
            Self::ListRoots | Self::Other(_) => {}
        }
        map.end()
    }
}

impl Field for InputRequest {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        Self::Elicit(params)
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::CreateMessage(Box::new(params))
    }
}

/// The requests of an [`InputRequiredResult`] by their names, in their order.
///
/// The answers go back in `inputResponses`, as [`Members`](crate::types::Members) under the same names; what each of
/// them is, only the request tells.
#[derive(Clone, Debug, Default)]
pub struct InputRequests(Vec<(Box<str>, InputRequest)>);

impl InputRequests {
    /// Makes an empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Reads the requests; one that cannot be read is kept as it came.
    ///
    /// # Errors
    ///
    /// Anything but an object is a [`Fault`].
    pub fn read(raw: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::NOT_AN_OBJECT)?;
        let read = |request: &RawValue| {
            InputRequest::read(request).unwrap_or_else(|_| InputRequest::Other(request.to_owned()))
        };
        Ok(Self(object.iter().map(|(name, request)| (name.into(), read(request))).collect()))
    }

    /// Adds a request; its name must be new.
    pub fn push(&mut self, name: impl Into<Box<str>>, request: impl Into<InputRequest>) {
        self.0.push((name.into(), request.into()));
    }

    /// Walks over the names and requests in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.0.iter().map(|(name, request)| (&**name, request))
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there is no request.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for InputRequests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.iter().try_for_each(|(name, request)| map.serialize_entry(name, request))?;
        map.end()
    }
}

impl Field for InputRequests {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}

record! {
    /// A result that asks for input first (`basic/patterns/mrtr`).
    ///
    /// The client sends the request again, with the answers and the state.
    InputRequiredResult {
        ["resultType" = "input_required"]
        /// What the server wants to know.
        optional input_requests: InputRequests = "inputRequests";
        /// What the server wants to see again, as it is; nobody but the server understands it.
        optional request_state: String = "requestState";
    } with meta
}

words! {
    /// Says of what kind a result is.
    ResultType {
        /// It is the answer.
        Complete "complete",
        /// It asks for input first.
        InputRequired "input_required",
    }
}

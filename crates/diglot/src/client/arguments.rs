//! The arguments of a call, which go out byte for byte as they are given.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::Error;

/// The arguments of a tool: a JSON object.
///
/// It is made of a [`serde_json::Value`], of raw JSON, which then goes out byte for byte, or of any type that
/// serialises to an object; `()` stands for no arguments.
#[derive(Clone, Debug)]
pub struct Arguments(Result<Option<Box<RawValue>>, ArgumentsFault>);

/// Why something cannot be the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ArgumentsFault {
    /// It is JSON, and not an object.
    NotAnObject,
    /// It cannot be serialised.
    NotJson,
}

impl Arguments {
    /// Serialises a value of any type.
    pub fn of(value: &impl Serialize) -> Self {
        match serde_json::value::to_raw_value(value) {
            Ok(raw) => raw.into(),
            Err(_) => Self(Err(ArgumentsFault::NotJson)),
        }
    }
}

impl Arguments {
    /// Returns the arguments as raw JSON, or the error of what cannot be sent.
    pub(super) fn into_raw(self) -> Result<Option<Box<RawValue>>, Error> {
        self.0.map_err(|fault| match fault {
            ArgumentsFault::NotAnObject => Error::Arguments("they are JSON, and not an object"),
            ArgumentsFault::NotJson => Error::Arguments("they cannot be written as JSON"),
        })
    }
}

impl From<()> for Arguments {
    fn from((): ()) -> Self {
        Self(Ok(None))
    }
}

impl From<Box<RawValue>> for Arguments {
    fn from(raw: Box<RawValue>) -> Self {
        match raw.get().starts_with('{') {
            true => Self(Ok(Some(raw))),
            false if raw.get() == "null" => Self(Ok(None)),
            false => Self(Err(ArgumentsFault::NotAnObject)),
        }
    }
}

impl From<&RawValue> for Arguments {
    fn from(raw: &RawValue) -> Self {
        raw.to_owned().into()
    }
}

impl From<serde_json::Value> for Arguments {
    fn from(value: serde_json::Value) -> Self {
        Self::of(&value)
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for Arguments {
    fn from(map: serde_json::Map<String, serde_json::Value>) -> Self {
        Self::of(&map)
    }
}

//! Request ids as they are sent, and as they come back.
//!
//! A peer may return an id in another spelling or not at all. [`ReplyId`] keeps what came; [`ReplyId::matches`] says
//! which spellings still mean the same request.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{escape, peek};

/// Identifies a request.
///
/// Its `Display` is the JSON token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Id {
    /// An integer.
    Number(i64),
    /// A string.
    Text(Box<str>),
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::Text(text.into_boxed_str())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => {
                f.write_str("\"")?;
                escape::escape(text, |piece| f.write_str(piece))?;
                f.write_str("\"")
            }
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;

        impl Visitor<'_> for IdVisitor {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer or a string")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
                Ok(Id::Number(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
                i64::try_from(number).map(Id::Number).map_err(|_| E::custom("an id beyond 64 bits"))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
                Ok(Id::from(text))
            }
        }

        deserializer.deserialize_any(IdVisitor)
    }
}

/// Holds the id of a response as the peer spelled it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyId {
    /// An integer or a string.
    Id(Id),
    /// `null`: the peer could not read the id of the request.
    Null,
    /// No `id` at all.
    Absent,
    /// Anything else, as its raw JSON token: a fraction, a number beyond 64 bits, a boolean, an array, an object.
    ///
    /// A number with a fraction or an exponent is here too when it is integral (`7.0`, `7e0`), and still
    /// [matches](ReplyId::matches).
    Odd(Box<str>),
}

impl ReplyId {
    /// Reads an id from its raw JSON; `None` is an absent one.
    pub fn read(raw: Option<&RawValue>) -> Self {
        let Some(raw) = raw else { return Self::Absent };
        if peek::is_null(raw) {
            return Self::Null;
        }
        match id(raw) {
            Some(id) => Self::Id(id),
            None => Self::Odd(raw.get().into()),
        }
    }

    /// Says whether this is the id of that request.
    ///
    /// Besides the same id, a number matches the same number in a string, in either direction, and an integral float.
    pub fn matches(&self, id: &Id) -> bool {
        if let Self::Id(own) = self
            && own == id
        {
            return true;
        }
        self.as_number().is_some_and(|number| number_in(id) == Some(number))
    }

    /// Returns the number that the id can stand for, under the same lenient forms as [`ReplyId::matches`].
    pub fn as_number(&self) -> Option<i64> {
        match self {
            Self::Id(id) => number_in(id),
            Self::Odd(token) => peek::integer(token),
            Self::Null | Self::Absent => None,
        }
    }

    /// Says whether the response names no request: the id is `null` or absent.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Self::Null | Self::Absent)
    }

    /// Names the JSON kind: `number`, `string`, `null`, `absent` or `odd`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Id(Id::Number(_)) => "number",
            Self::Id(Id::Text(_)) => "string",
            Self::Null => "null",
            Self::Absent => "absent",
            Self::Odd(_) => "odd",
        }
    }
}

impl From<Id> for ReplyId {
    fn from(id: Id) -> Self {
        Self::Id(id)
    }
}

impl fmt::Display for ReplyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Null => f.write_str("null"),
            Self::Absent => f.write_str("absent"),
            Self::Odd(token) => f.write_str(token),
        }
    }
}

/// Reads an id that a request may carry: an integer within 64 bits, or a string.
pub(super) fn id(raw: &RawValue) -> Option<Id> {
    match raw.get().as_bytes().first()? {
        b'"' => peek::text(raw).map(|text| Id::Text(text.into())),
        b'-' | b'0'..=b'9' => raw.get().parse().ok().map(Id::Number),
        _ => None,
    }
}

fn number_in(id: &Id) -> Option<i64> {
    match id {
        Id::Number(number) => Some(*number),
        // Only the canonical spelling is the same number: `007` and `+7` are names of the peer's own.
        Id::Text(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let canonical = digits == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
            text.parse().ok().filter(|_| canonical)
        }
    }
}

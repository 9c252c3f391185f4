//! The error object of a response.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{codes, peek};

/// Holds the error that a peer answered, or is to be answered.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RpcError {
    /// The code; see [`codes`].
    pub code: i64,
    /// What went wrong, in the peer's words; empty where it gave none.
    pub message: String,
    /// What the peer added; `null` reads as nothing.
    pub data: Option<Box<RawValue>>,
}

impl RpcError {
    /// Makes an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds the data.
    #[must_use]
    pub fn with_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    /// Reads the `error` of a response.
    ///
    /// It is lenient, because the request has failed either way: a bare string is the message; a code may be an
    /// integral float or stand in a string, a huge one is clamped, and without one [`codes::NOT_GIVEN`] is put;
    /// a message that is not a string is kept as its JSON. `None` is an error that says nothing: neither an object nor
    /// a string, or an object with neither code nor message.
    pub(super) fn read(raw: &RawValue) -> Option<Self> {
        if let Some(message) = peek::text(raw) {
            return Some(Self::new(codes::NOT_GIVEN, message));
        }
        let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
        let code = members.code.and_then(code);
        let message =
            members.message.filter(|message| !peek::is_null(message)).map(|message| {
                match peek::text(message) {
                    Some(text) => text.into_owned(),
                    None => message.get().to_owned(),
                }
            });
        if code.is_none() && message.is_none() {
            return None;
        }
        Some(Self {
            code: code.unwrap_or(codes::NOT_GIVEN),
            message: message.unwrap_or_default(),
            data: members.data.filter(|data| !peek::is_null(data)).map(ToOwned::to_owned),
        })
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => write!(f, "an error without a message (code {})", self.code),
            message => write!(f, "{message} (code {})", self.code),
        }
    }
}

impl std::error::Error for RpcError {}

fn code(raw: &RawValue) -> Option<i64> {
    let token = peek::text(raw).unwrap_or_else(|| raw.get().into());
    let token = token.trim();
    if !token.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return None;
    }
    peek::integer(token).or_else(|| {
        let number: f64 = token.parse().ok()?;
        // Beyond 64 bits; the cast clamps. A fraction names no code.
        (number.fract() == 0.0).then_some(number as i64)
    })
}

#[derive(Default)]
struct Members<'a> {
    code: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    data: Option<&'a RawValue>,
}

enum Key {
    Code,
    Message,
    Data,
    Unknown,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(match key {
                    "code" => Key::Code,
                    "message" => Key::Message,
                    "data" => Key::Data,
                    _ => Key::Unknown,
                })
            }
        }

        deserializer.deserialize_identifier(KeyVisitor)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an error object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::Code => members.code = Some(map.next_value()?),
                        Key::Message => members.message = Some(map.next_value()?),
                        Key::Data => members.data = Some(map.next_value()?),
                        Key::Unknown => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

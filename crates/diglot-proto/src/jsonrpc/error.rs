//! The error object of a response.

use std::fmt;

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
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        if let Some(message) = peek::text(raw) {
            return Some(Self::new(codes::NOT_GIVEN, message));
        }
        let [number, message, data] = peek::members(raw.get(), &["code", "message", "data"]).ok()?;
        let code = number.and_then(code);
        let message = message.filter(|message| !peek::is_null(message));
        let message = message.map(|raw| peek::text(raw).unwrap_or_else(|| raw.get().into()).into_owned());
        if code.is_none() && message.is_none() {
            return None;
        }
        Some(Self {
            code: code.unwrap_or(codes::NOT_GIVEN),
            message: message.unwrap_or_default(),
            data: data.filter(|data| !peek::is_null(data)).map(ToOwned::to_owned),
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

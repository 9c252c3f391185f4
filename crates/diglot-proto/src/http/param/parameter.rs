//! One parameter that is mirrored: its value as the text of a header, and that text against its value.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use crate::http::headers::decode_value;
use crate::http::mirror::{Field, HeaderMismatch, HeaderMismatchKind, quoted};
use crate::jsonrpc::peek;

/// The largest integer that every reader of JSON keeps exact, 2^53 − 1.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// One parameter that is mirrored.
#[derive(Debug, Clone)]
pub(super) struct Param {
    /// The path of property names from the arguments down, never empty.
    pub(super) path: Vec<Box<str>>,
    /// The name of the header as it is sent, in lower case.
    pub(super) header: Box<str>,
    /// The same as the schema spells it, for messages.
    pub(super) label: Box<str>,
    pub(super) primitive: Primitive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Primitive {
    Text,
    Integer,
    Boolean,
}

impl Param {
    /// Returns the value as text, or `None` where it has not the type of the schema.
    pub(super) fn text<'a>(&self, value: &'a RawValue) -> Result<Option<Cow<'a, str>>, UnsafeInteger> {
        if !self.primitive.fits(value) {
            return Ok(None);
        }
        Ok(match self.primitive {
            Primitive::Text => peek::text(value),
            Primitive::Boolean => Some(value.get().into()),
            Primitive::Integer => {
                let integer = peek::integer(value.get()).filter(|integer| integer.unsigned_abs() <= MAX_SAFE);
                let refused = || UnsafeInteger { parameter: quoted(&self.path.join(".")) };
                Some(integer.ok_or_else(refused)?.to_string().into())
            }
        })
    }

    pub(super) fn verify(&self, value: Option<&RawValue>, field: Field<'_>) -> Result<(), HeaderMismatch> {
        let name = &self.label;
        let header = field.value(name)?;
        let header = header.map(decode_value).transpose().map_err(|bad| HeaderMismatch::bad(name, bad))?;
        match (header, value) {
            (None, None) => Ok(()),
            (None, Some(value)) if self.primitive.fits(value) => {
                Err(HeaderMismatch::new(name, HeaderMismatchKind::Missing))
            }
            (None, Some(_)) => Ok(()),
            (Some(header), None) => Err(HeaderMismatch::unfounded(name, &header)),
            (Some(header), Some(value)) => same(name, &header, value),
        }
    }
}

impl Primitive {
    /// Says whether a value has the type; as in JSON Schema, `1.0` is an integer.
    fn fits(self, value: &RawValue) -> bool {
        match self {
            Self::Text => value.get().starts_with('"'),
            Self::Boolean => matches!(value.get(), "true" | "false"),
            Self::Integer => {
                let token = value.get();
                // Beyond 64 bits there is no telling, and no float of that size has a fraction.
                let is_huge = |number: f64| number.abs() >= 2_f64.powi(63);
                is_number(token) && (peek::integer(token).is_some() || token.parse().is_ok_and(is_huge))
            }
        }
    }
}

/// Compares a header with a value by what the value is, not by what the schema says that it should be.
fn same(name: &str, header: &str, value: &RawValue) -> Result<(), HeaderMismatch> {
    let body = peek::text(value);
    let is_same = match &body {
        Some(body) => header == body,
        None => header == value.get() || same_number(header, value.get()),
    };
    match is_same {
        true => Ok(()),
        false => Err(HeaderMismatch::differs(name, header, body.as_deref().unwrap_or(value.get()))),
    }
}

fn same_number(header: &str, body: &str) -> bool {
    is_number(header) && peek::integer(body).is_some_and(|body| peek::integer(header) == Some(body))
}

fn is_number(token: &str) -> bool {
    token.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// Says which argument cannot be mirrored because it is an integer beyond ±(2^53 − 1).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsafeInteger {
    /// The names of the properties that lead to the argument, with dots between them.
    pub parameter: Box<str>,
}

impl fmt::Display for UnsafeInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the argument `{}` must lie within ±9007199254740991 to be sent as a header",
            self.parameter
        )
    }
}

impl std::error::Error for UnsafeInteger {}

//! Headers that mirror a part of the body: what was sent, and whether both say the same.
//!
//! A mismatch is an attack in waiting, because a gateway decides by the header and the server by the body. See "Server
//! Validation" in the Streamable HTTP transport of revision 2026-07-28.

use std::fmt;

use super::headers::{BadHeaderValue, decode_value, is_plain_byte};
use crate::jsonrpc::{RpcError, codes};

/// How many characters of a value a mismatch quotes.
pub const MAX_QUOTED: usize = 64;

/// Holds what a request says in one header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Field<'h> {
    /// The header is not there.
    #[default]
    Absent,
    /// The header is there once; space around its value is gone.
    One(&'h str),
    /// The header is there more than once, be it with equal values.
    Many,
    /// The header is there once and has a character that is neither visible ASCII nor a space or tab.
    Malformed,
}

impl<'h> Field<'h> {
    /// Reads the values that a request has for one header.
    pub fn read(values: impl IntoIterator<Item = &'h [u8]>) -> Self {
        let mut values = values.into_iter();
        let Some(value) = values.next() else { return Self::Absent };
        if values.next().is_some() {
            return Self::Many;
        }
        let value = value.trim_ascii();
        match value.iter().all(|byte| is_plain_byte(*byte)) {
            true => std::str::from_utf8(value).map_or(Self::Malformed, Self::One),
            false => Self::Malformed,
        }
    }

    /// Returns the value, or `None` where there is no header.
    pub(crate) fn value(self, header: &str) -> Result<Option<&'h str>, HeaderMismatch> {
        match self {
            Self::Absent => Ok(None),
            Self::One(value) => Ok(Some(value)),
            Self::Many => Err(HeaderMismatch::new(header, HeaderMismatchKind::Repeated)),
            Self::Malformed => Err(HeaderMismatch::new(header, HeaderMismatchKind::Character)),
        }
    }

    /// Checks that the header is there and says literally what the body says.
    pub(crate) fn must_be(self, header: &str, body: &str) -> Result<(), HeaderMismatch> {
        match self.value(header)? {
            Some(value) if value == body => Ok(()),
            Some(value) => Err(HeaderMismatch::differs(header, value, body)),
            None => Err(HeaderMismatch::new(header, HeaderMismatchKind::Missing)),
        }
    }

    /// Checks that the header is there exactly if the body has a text, and says the same once decoded.
    pub(crate) fn must_encode(self, header: &str, body: Option<&str>) -> Result<(), HeaderMismatch> {
        let value = self.value(header)?;
        let decoded = value.map(decode_value).transpose().map_err(|bad| HeaderMismatch::bad(header, bad))?;
        match (decoded, body) {
            (None, None) => Ok(()),
            (Some(decoded), Some(body)) if decoded == body => Ok(()),
            (Some(decoded), Some(body)) => Err(HeaderMismatch::differs(header, &decoded, body)),
            (Some(decoded), None) => Err(HeaderMismatch::unfounded(header, &decoded)),
            (None, Some(_)) => Err(HeaderMismatch::new(header, HeaderMismatchKind::Missing)),
        }
    }
}

/// Says which header does not mirror the body, and why.
///
/// Its `Display` is one bounded line that names the header and both values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderMismatch {
    /// The name of the header.
    pub header: Box<str>,
    /// The reason.
    pub kind: HeaderMismatchKind,
}

/// Classifies why a header does not mirror the body.
///
/// Values are cut to [`MAX_QUOTED`] characters, with control characters escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderMismatchKind {
    /// The header is required and not there.
    Missing,
    /// The header is there more than once.
    Repeated,
    /// The value has a character that a header cannot have.
    Character,
    /// The value is marked as Base64 and is not Base64 of UTF-8.
    Sentinel,
    /// The header and the body say different things.
    Differs {
        /// What the header says, decoded.
        header: Box<str>,
        /// What the body says.
        body: Box<str>,
    },
    /// The header says something of which the body has nothing.
    Unfounded {
        /// What the header says, decoded.
        header: Box<str>,
    },
}

impl HeaderMismatch {
    pub(crate) fn new(header: &str, kind: HeaderMismatchKind) -> Self {
        Self { header: header.into(), kind }
    }

    pub(crate) fn bad(header: &str, bad: BadHeaderValue) -> Self {
        let kind = match bad {
            BadHeaderValue::Character => HeaderMismatchKind::Character,
            BadHeaderValue::Base64 | BadHeaderValue::Utf8 => HeaderMismatchKind::Sentinel,
        };
        Self::new(header, kind)
    }

    pub(crate) fn differs(header: &str, value: &str, body: &str) -> Self {
        Self::new(header, HeaderMismatchKind::Differs { header: quoted(value), body: quoted(body) })
    }

    pub(crate) fn unfounded(header: &str, value: &str) -> Self {
        Self::new(header, HeaderMismatchKind::Unfounded { header: quoted(value) })
    }

    /// Returns the error that refuses the request; its status is 400.
    pub fn error(&self) -> RpcError {
        RpcError::new(codes::HEADER_MISMATCH, format!("Header mismatch: {self}"))
    }
}

impl fmt::Display for HeaderMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.header;
        match &self.kind {
            HeaderMismatchKind::Missing => write!(f, "the {name} header is missing"),
            HeaderMismatchKind::Repeated => write!(f, "the {name} header is sent more than once"),
            HeaderMismatchKind::Character => {
                write!(f, "the {name} header has a character that a header cannot have")
            }
            HeaderMismatchKind::Sentinel => {
                write!(f, "the {name} header is marked as Base64 and is not Base64 of UTF-8")
            }
            HeaderMismatchKind::Differs { header, body } => {
                write!(f, "the {name} header value '{header}' does not match the body value '{body}'")
            }
            HeaderMismatchKind::Unfounded { header } => {
                write!(f, "the {name} header value '{header}' stands for nothing in the body")
            }
        }
    }
}

impl std::error::Error for HeaderMismatch {}

/// Quotes the beginning of a text so that it stays on one line.
pub(crate) fn quoted(text: &str) -> Box<str> {
    let mut quoted: String = text.chars().take(MAX_QUOTED).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        quoted.push('…');
    }
    quoted.into_boxed_str()
}

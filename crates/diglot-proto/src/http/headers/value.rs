//! The encoding of mirrored values: plain where a header can carry the text, `=?base64?…?=` where it cannot.
//!
//! See "Value Encoding" in the Streamable HTTP transport of revision 2026-07-28.

use std::borrow::Cow;
use std::fmt;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes a text as the value of `Mcp-Name` or `Mcp-Param-…`.
///
/// It is Base64 in the sentinel if the text has a character beyond visible ASCII, space and tab, starts or ends with
/// space, or looks like the sentinel itself.
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(is_plain_byte);
    let padded = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    let sentinel = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    if plain && !padded && !sentinel {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(PREFIX.len() + text.len().div_ceil(3) * 4 + SUFFIX.len());
    encoded.push_str(PREFIX);
    push_base64(&mut encoded, text.as_bytes());
    encoded.push_str(SUFFIX);
    Cow::Owned(encoded)
}

/// Decodes the value of `Mcp-Name` or `Mcp-Param-…`.
///
/// # Errors
///
/// [`BadHeaderValue`] if a plain value has a character that a header cannot have, or if what is in the sentinel is not
/// canonical Base64 (standard alphabet, padded) of UTF-8.
pub fn decode_value(value: &str) -> Result<Cow<'_, str>, BadHeaderValue> {
    let encoded = value.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    match encoded {
        Some(encoded) => {
            let bytes = base64(encoded.as_bytes()).ok_or(BadHeaderValue::Base64)?;
            String::from_utf8(bytes).map(Cow::Owned).map_err(|_| BadHeaderValue::Utf8)
        }
        None if value.bytes().all(is_plain_byte) => Ok(Cow::Borrowed(value)),
        None => Err(BadHeaderValue::Character),
    }
}

/// Says why a header value cannot be decoded; it does not hold the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BadHeaderValue {
    /// A character that is neither visible ASCII nor a space or tab.
    Character,
    /// Not canonical Base64.
    Base64,
    /// Base64 of something that is not UTF-8.
    Utf8,
}

impl fmt::Display for BadHeaderValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Character => "a header value has a character that it cannot have",
            Self::Base64 => "a header value is marked as Base64 and is not",
            Self::Utf8 => "a header value is the Base64 of something that is not UTF-8",
        })
    }
}

impl std::error::Error for BadHeaderValue {}

/// The bytes of a field value by RFC 9110, section 5.5, without the obsolete ones.
pub(in crate::http) fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

fn push_base64(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            out.push(if place <= chunk.len() { digit(group >> (18 - 6 * place)) } else { '=' });
        }
    }
}

fn digit(sextet: u32) -> char {
    let index = usize::try_from(sextet & 0x3f).unwrap_or_default();
    ALPHABET.get(index).copied().map_or('=', char::from)
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.len() / 4;
    for (at, chunk) in text.chunks(4).enumerate() {
        let digits = match chunk {
            [_, _, b'=', b'='] if at + 1 == groups => 2,
            [_, _, _, b'='] if at + 1 == groups => 3,
            _ => 4,
        };
        let group =
            chunk.iter().take(digits).try_fold(0_u32, |group, byte| Some(group << 6 | sextet(*byte)?))?;
        let group = group << (6 * (4 - digits));
        let [_, first, second, third] = group.to_be_bytes();
        let (kept, spare): (&[u8], &[u8]) = match digits {
            2 => (&[first], &[second, third]),
            3 => (&[first, second], &[third]),
            _ => (&[first, second, third], &[]),
        };
        // Two spellings of one value would let a header and a body disagree for whoever compares the spelling.
        if spare.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

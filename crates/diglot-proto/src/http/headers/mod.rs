//! The headers of the HTTP binding: those that mirror a message, and those that a user may set.
//!
//! Names are lower case here, as HTTP/2 has them; compare names without regard to case, and values with it. See
//! "Request Metadata" in the Streamable HTTP transport of revision 2026-07-28.

mod challenge;
mod media;
mod value;

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

pub use challenge::{Challenge, MAX_CHALLENGE_BYTES, MAX_CHALLENGES, parse_challenges};
pub use media::{essence, is_event_stream, is_html, is_json};
pub(super) use value::is_plain_byte;
pub use value::{BadHeaderValue, decode_value, encode_value};

use crate::jsonrpc::peek;

/// Names the revision, on every modern request and on legacy ones from 2025-06-18 on.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Names the session, in the legacy era only.
pub const SESSION_ID: &str = "mcp-session-id";
/// Mirrors the method.
pub const METHOD: &str = "mcp-method";
/// Mirrors what the request is about; see [`mirrored_name`].
pub const NAME: &str = "mcp-name";
/// Begins the name of a header that mirrors a parameter of a tool.
pub const PARAM_PREFIX: &str = "mcp-param-";
/// Resumes an event stream, in the legacy era only.
pub const LAST_EVENT_ID: &str = "last-event-id";

/// Returns what `Mcp-Name` mirrors, before its [encoding](encode_value).
///
/// That is `params.name` of a tool or a prompt, `params.uri` of a resource, and `params.taskId` of a task. `None` for
/// every other method, and where the member is absent or no string.
pub fn mirrored_name<'a>(method: &str, params: Option<&'a RawValue>) -> Option<Cow<'a, str>> {
    peek::text(peek::member(params?, mirrored_member(method)?)?)
}

/// Returns which member of the parameters `Mcp-Name` mirrors, if the method has one.
pub(crate) fn mirrored_member(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    })
}

/// Says whether a header belongs to the protocol or to the HTTP client, so that a user must not set it by hand.
pub fn is_reserved(name: &str) -> bool {
    const RESERVED: [&str; 7] = [
        "accept",
        "connection",
        "content-length",
        "content-type",
        "host",
        LAST_EVENT_ID,
        "transfer-encoding",
    ];
    let of_protocol = name.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("mcp-"));
    of_protocol || RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Checks a header that a user wants on every request.
///
/// # Errors
///
/// [`BadHeader`] if the name is no token of RFC 9110, is [reserved](is_reserved), or the value has a character that is
/// neither visible ASCII nor a space or tab.
pub fn check(name: &str, value: &str) -> Result<(), BadHeader> {
    let kind = if name.is_empty() || !name.bytes().all(is_token_byte) {
        BadHeaderKind::Name
    } else if is_reserved(name) {
        BadHeaderKind::Reserved
    } else if !value.bytes().all(is_plain_byte) {
        BadHeaderKind::Value
    } else {
        return Ok(());
    };
    // Whoever writes `Authorization: Bearer …` where a name belongs has put the secret there.
    let shown = name.bytes().take_while(|byte| is_token_byte(*byte)).count();
    Err(BadHeader { name: name.get(..shown).unwrap_or_default().into(), kind })
}

/// Says which header is refused, and why; never what its value is, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadHeader {
    /// The name, as far as it is one.
    pub name: Box<str>,
    /// The reason.
    pub kind: BadHeaderKind,
}

/// Classifies why a header is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BadHeaderKind {
    /// The name is empty or has a character that a name cannot have.
    Name,
    /// The header is set by the protocol.
    Reserved,
    /// The value has a character that cannot be sent, such as a newline.
    Value,
}

impl fmt::Display for BadHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.kind {
            BadHeaderKind::Name if name.is_empty() => {
                f.write_str("a header name is empty or starts with a character that it cannot have")
            }
            BadHeaderKind::Name => write!(
                f,
                "a header name that starts with `{name}` goes on with a character that it cannot have"
            ),
            BadHeaderKind::Reserved => {
                write!(f, "the header `{name}` is set by the protocol and cannot be set by hand")
            }
            BadHeaderKind::Value => write!(
                f,
                "the value of the header `{name}` has a character that cannot be sent; a newline at its end is the usual one"
            ),
        }
    }
}

impl std::error::Error for BadHeader {}

/// The `tchar` of RFC 9110, section 5.6.2.
pub(super) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

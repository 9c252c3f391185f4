//! Refusals: the JSON-RPC error, the HTTP status, and the id to answer to.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Offer;
use crate::http::mirror::{HeaderMismatch, quoted};
use crate::jsonrpc::{Id, RpcError, Unreadable, UnreadableKind, codes, write_error};
use crate::version::Revision;

/// How many characters of a version that is not served are sent back.
pub const MAX_REQUESTED: usize = 256;

/// Holds the answer to a message that is refused.
///
/// On a pipe there is no status, and a rejection is sent only if it has an id or the message could not be read; nobody
/// waits for an answer to a response or a notification.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rejection {
    /// The id of the request, where there is one.
    pub id: Option<Id>,
    /// The error.
    pub error: RpcError,
    /// The HTTP status.
    pub status: u16,
}

impl Rejection {
    /// Returns the body that carries the error.
    pub fn body(&self) -> Vec<u8> {
        write_error(self.id.as_ref(), &self.error)
    }
}

impl From<Refused> for Rejection {
    fn from(Refused { error, status }: Refused) -> Self {
        Self { id: None, error, status }
    }
}

/// Refuses what could not be read as a message.
impl From<&Unreadable> for Rejection {
    fn from(unreadable: &Unreadable) -> Self {
        let error = match unreadable.kind {
            UnreadableKind::NotJson => {
                RpcError::new(codes::PARSE_ERROR, format!("Parse error: {unreadable}"))
            }
            UnreadableKind::NotAMessage
            | UnreadableKind::Malformed
            | UnreadableKind::TooDeep
            | UnreadableKind::BatchTooLong => invalid_request(&unreadable.to_string()),
        };
        let id = unreadable.id.clone().filter(|_| !unreadable.is_reply);
        Self { id, error, status: 400 }
    }
}

/// Holds an error and its status before it is known whose request it refuses.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Refused {
    /// The error.
    pub error: RpcError,
    /// The HTTP status.
    pub status: u16,
}

impl Refused {
    /// Refuses the request with this id.
    pub fn of(self, id: Id) -> Rejection {
        Rejection { id: Some(id), ..self.into() }
    }

    /// Refuses a method that the server does not have, with 404 in the modern era.
    pub fn method_not_found(method: &str) -> Self {
        let error = RpcError::new(codes::METHOD_NOT_FOUND, format!("Method not found: {}", quoted(method)));
        Self { error, status: 404 }
    }

    /// Refuses parameters.
    pub fn invalid_params(what: &str) -> Self {
        bad_request(RpcError::new(codes::INVALID_PARAMS, format!("Invalid params: {what}")))
    }

    /// Refuses a request that needs what the client did not declare; `required` is an object of client capabilities.
    pub fn missing_capability(required: &RawValue) -> Self {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Data<'a> {
            required_capabilities: &'a RawValue,
        }
        let mut error = RpcError::new(
            codes::MISSING_CLIENT_CAPABILITY,
            "Missing required client capability: the request needs what the client did not declare",
        );
        error.data = to_raw_value(&Data { required_capabilities: required }).ok();
        bad_request(error)
    }

    /// Refuses a version that the server does not have, and lists those that it has.
    pub fn unsupported_version(requested: &str, offer: &Offer<'_>) -> Self {
        bad_request(unsupported(codes::UNSUPPORTED_PROTOCOL_VERSION, requested, offer))
    }

    /// Refuses the version of a legacy message, in words that legacy clients and those that look for the era know.
    ///
    /// The code is not the modern one, which would say that the server understood a modern request.
    pub(super) fn unsupported_legacy_version(requested: &str, offer: &Offer<'_>) -> Self {
        bad_request(unsupported(codes::INVALID_REQUEST, requested, offer))
    }

    pub(super) fn unversioned() -> Self {
        bad_request(invalid_request(r#"the message does not say "jsonrpc": "2.0""#))
    }

    pub(super) fn response() -> Self {
        bad_request(invalid_request("a response is not accepted here"))
    }

    pub(super) fn batch(what: &str) -> Self {
        bad_request(invalid_request(what))
    }

    pub(super) fn legacy_header(mismatch: &HeaderMismatch) -> Self {
        bad_request(invalid_request(&mismatch.to_string()))
    }

    /// Refuses a request without an envelope where only the modern era is, and says what would be understood.
    pub(super) fn bare(key: &str, offer: &Offer<'_>) -> Self {
        let supported = Supported::of(offer).join();
        Self::invalid_params(&format!("`{key}` is missing in `_meta` (supported versions: {supported})"))
    }
}

impl From<HeaderMismatch> for Refused {
    fn from(mismatch: HeaderMismatch) -> Self {
        bad_request(mismatch.error())
    }
}

fn bad_request(error: RpcError) -> Refused {
    Refused { error, status: 400 }
}

fn invalid_request(what: &str) -> RpcError {
    RpcError::new(codes::INVALID_REQUEST, format!("Invalid request: {what}"))
}

fn unsupported(code: i64, requested: &str, offer: &Offer<'_>) -> RpcError {
    #[derive(Serialize)]
    struct Data<'a> {
        supported: &'a [Revision],
        requested: &'a str,
    }
    let supported = Supported::of(offer);
    let message = format!(
        "Unsupported protocol version: {} (supported versions: {})",
        quoted(requested),
        supported.join()
    );
    let end = requested.char_indices().nth(MAX_REQUESTED).map_or(requested.len(), |(end, _)| end);
    let requested = requested.get(..end).unwrap_or_default();
    let mut error = RpcError::new(code, message);
    error.data = to_raw_value(&Data { supported: &supported.0, requested }).ok();
    error
}

struct Supported(Vec<Revision>);

impl Supported {
    fn of(offer: &Offer<'_>) -> Self {
        Self(offer.supported().collect())
    }

    fn join(&self) -> String {
        let words: Vec<&str> = self.0.iter().map(|revision| revision.as_str()).collect();
        words.join(", ")
    }
}

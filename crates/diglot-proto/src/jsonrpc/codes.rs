//! The error codes that the specification names.
//!
//! `-32000` to `-32019` belong to implementations and mean nothing by themselves; `-32020` to `-32099` belong to the
//! specification. See "Error Codes" in the base protocol of revision 2026-07-28.

/// The body is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist or is not offered.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed inside.
pub const INTERNAL_ERROR: i64 = -32603;
/// The HTTP headers contradict the body, or one that is required is missing or unreadable.
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a capability that the client did not declare.
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The receiver does not implement the revision that the request names.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// The resource does not exist, in revisions up to 2025-11-25.
///
/// Later revisions say [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND_LEGACY: i64 = -32002;
/// The user must first visit a URL, in revision 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED_LEGACY: i64 = -32042;
/// The peer reported an error and gave no code that can be read.
///
/// Diglot never sends it.
pub const NOT_GIVEN: i64 = 0;

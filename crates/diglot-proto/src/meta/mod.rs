//! The reserved keys of `_meta`: what requests, results and notifications say about themselves.
//!
//! Writing splices text: whatever else stands in the parameters passes through byte for byte, because a number past
//! 2^53 or a `1.0` would not survive being read and written again. See "General fields" in the base protocol of revision
//! 2026-07-28.

mod envelope;
mod splice;
mod trace;

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::jsonrpc::{ReplyId, peek};

pub use envelope::Envelope;
pub use splice::{NoPlace, progress_token_entry, with_meta, with_progress_token};
pub use trace::{BadTraceContext, TraceContext};

/// Names the revision of a request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Identifies the client software of a request.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Declares what the client can do during a request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Asks for log messages from this level on.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Identifies the server software of a result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Names the listen request to which a notification belongs.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Names the task to which a message belongs, in revision 2025-11-25.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// Asks for progress notifications that carry this token.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// Carries a W3C trace context.
pub const TRACEPARENT: &str = "traceparent";
/// Carries what vendors add to a W3C trace context.
pub const TRACESTATE: &str = "tracestate";
/// Carries W3C baggage.
pub const BAGGAGE: &str = "baggage";

/// Holds what a request says about itself in `_meta`, as far as it can be read.
///
/// `null` reads as absent. A member of the wrong JSON type reads as absent too, and is named in `odd`, so that a strict
/// server can refuse the request.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RequestMeta<'a> {
    /// The revision; its presence is what makes a request modern.
    pub protocol_version: Option<Cow<'a, str>>,
    /// The identity of the client, an object.
    pub client_info: Option<&'a RawValue>,
    /// The capabilities of the client, an object.
    pub client_capabilities: Option<&'a RawValue>,
    /// The level from which on log messages are wanted.
    pub log_level: Option<Cow<'a, str>>,
    /// The token for progress notifications, a string or a number; it is sent back as it stands here.
    pub progress_token: Option<&'a RawValue>,
    /// The first key whose value has the wrong JSON type.
    pub odd: Option<&'static str>,
}

impl<'a> RequestMeta<'a> {
    /// Reads the `_meta` of parameters.
    pub fn read(params: Option<&'a RawValue>) -> Self {
        let meta = params.and_then(|params| peek::member(params, "_meta"));
        meta.map(|meta| Self::read_meta(meta.get())).unwrap_or_default()
    }

    /// Reads the text of a `_meta` that has been found already.
    pub(crate) fn read_meta(meta: &'a str) -> Self {
        const KEYS: [&str; 5] =
            [PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL, PROGRESS_TOKEN];
        let Ok(found) = peek::members(meta, &KEYS) else {
            let odd = (meta != "null").then_some("_meta");
            return Self { odd, ..Self::default() };
        };
        let mut odd = None;
        let mut typed = |raw: Option<&'a RawValue>, key, first: &[u8]| {
            let raw = raw.filter(|raw| !peek::is_null(raw))?;
            let fits = raw.get().as_bytes().first().is_some_and(|byte| first.contains(byte));
            if !fits {
                odd = odd.or(Some(key));
            }
            fits.then_some(raw)
        };
        let [version, info, capabilities, level, token] = found;
        Self {
            protocol_version: typed(version, PROTOCOL_VERSION, b"\"").and_then(peek::text),
            client_info: typed(info, CLIENT_INFO, b"{"),
            client_capabilities: typed(capabilities, CLIENT_CAPABILITIES, b"{"),
            log_level: typed(level, LOG_LEVEL, b"\"").and_then(peek::text),
            progress_token: typed(token, PROGRESS_TOKEN, b"\"-0123456789"),
            odd,
        }
    }
}

/// Returns the token that a progress notification carries in its parameters.
///
/// It is compared as an id is, by [`ReplyId::matches`], since peers respell it in the same ways.
pub fn progress_token(params: &RawValue) -> Option<ReplyId> {
    present(peek::member(params, PROGRESS_TOKEN))
}

/// Returns the id of the listen request to which a notification belongs, from the `_meta` of its parameters.
pub fn subscription_id(params: &RawValue) -> Option<ReplyId> {
    present(peek::member(peek::member(params, "_meta")?, SUBSCRIPTION_ID))
}

/// Returns the identity of the server, an object: from the `_meta` of a result, else from a top-level `serverInfo`.
pub fn server_info(result: &RawValue) -> Option<Box<RawValue>> {
    let in_meta = peek::member(result, "_meta").and_then(|meta| peek::member(meta, SERVER_INFO));
    let found = in_meta.filter(|info| peek::is_object(info));
    let found = found.or_else(|| peek::member(result, "serverInfo").filter(|info| peek::is_object(info)));
    found.map(ToOwned::to_owned)
}

fn present(raw: Option<&RawValue>) -> Option<ReplyId> {
    Some(ReplyId::read(raw)).filter(|id| !id.is_nullish())
}

//! The rows of the negotiation table: what a piece of evidence is, before any policy looks at it.
//!
//! This is a table and longer than other files for that reason.

use std::fmt;

use crate::jsonrpc::{Id, ReplyId, RpcError, codes};
use crate::lifecycle::words::{self, Complaint, Overlap};
use crate::lifecycle::{Binding, Evidence, Seen};
use crate::version::Revision;

/// A kind of answer to the probe. Its [`rule`](Row::rule) is the stable word that trails show.
///
/// The first group is settled for every policy; on the second the policies differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Row {
    /// A usable `DiscoverResult` with a modern revision of ours.
    DiscoverModern,
    /// `-32022` that lists a modern revision of ours.
    VersionMutual,
    /// A second `-32022` after the retry that it asked for.
    VersionRefusedAgain,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// No connection, no name, no TLS, a reset.
    Unreachable,
    /// A redirect that must not be followed.
    Redirected,
    /// A 2xx HTTP reply to some other request.
    ForeignReply,
    /// A result of a type that nobody defined.
    UnknownResultType,
    /// A reply over the size limit.
    TooLarge,
    /// A stream that opens with `endpoint`: the deprecated transport.
    EndpointStream,

    /// A correlated `-32601`, `-32600` or `-32602`.
    RpcLegacyCode,
    /// A correlated error that names the attempted revision as unsupported and lists only historical ones.
    RpcNamesVersion,
    /// A correlated error with any other code.
    RpcOtherCode,
    /// `-32020` or `-32021`.
    RpcModernComplaint,
    /// `-32022` that lists only legacy revisions, one of them ours.
    VersionListLegacy,
    /// `-32022` without a list that can be read.
    VersionListMissing,
    /// A list with a legacy revision of ours and later ones that are not.
    VersionListMixed,
    /// A list with nothing that we speak.
    VersionListForeign,
    /// A `DiscoverResult` with only legacy revisions, one of them ours.
    DiscoverLegacyOnly,
    /// A result that is no `DiscoverResult`, or an answer that cannot be read.
    ResultNotDiscover,
    /// 400 without our id that names the revision as unsupported, or asks for a session or a handshake.
    Http400Prevalidation,
    /// 400 with any other JSON-RPC body that does not carry our id.
    Http400Uncorrelated,
    /// 400 with a body that is not JSON-RPC, or none.
    Http400Opaque,
    /// 404 or 405.
    HttpNotHere,
    /// 404 with `-32601`.
    Http404MethodUnknown,
    /// Another 4xx that speaks of the request.
    HttpRequestRefused,
    /// A 4xx that speaks of who asks, how often, or under which name.
    HttpWhoOrWhen,
    /// 5xx, or a status outside HTTP's classes.
    HttpServerError,
    /// A 2xx without an answer.
    HttpNoAnswer,
    /// A 2xx web page or other text.
    HttpWebPage,
    /// 2xx JSON that is not JSON-RPC.
    HttpOtherJson,
    /// No answer over a pipe.
    SilencePipe,
    /// No answer over HTTP.
    SilenceHttp,
    /// The process ended, or the pipe closed, without an answer.
    Exited,
}

impl Row {
    /// Returns the rule's name, a word that stays stable between releases.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::DiscoverModern => "discover-modern",
            Self::VersionMutual => "version-mutual",
            Self::VersionRefusedAgain => "version-refused-again",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::Unreachable => "unreachable",
            Self::Redirected => "redirected",
            Self::ForeignReply => "foreign-reply",
            Self::UnknownResultType => "unknown-result-type",
            Self::TooLarge => "too-large",
            Self::EndpointStream => "endpoint-stream",
            Self::RpcLegacyCode => "rpc-legacy-code",
            Self::RpcNamesVersion => "rpc-names-version",
            Self::RpcOtherCode => "rpc-other-code",
            Self::RpcModernComplaint => "rpc-modern-complaint",
            Self::VersionListLegacy => "version-list-legacy",
            Self::VersionListMissing => "version-list-missing",
            Self::VersionListMixed => "version-list-mixed",
            Self::VersionListForeign => "version-list-foreign",
            Self::DiscoverLegacyOnly => "discover-legacy-only",
            Self::ResultNotDiscover => "result-not-discover",
            Self::Http400Prevalidation => "http-400-prevalidation",
            Self::Http400Uncorrelated => "http-400-uncorrelated",
            Self::Http400Opaque => "http-400-opaque",
            Self::HttpNotHere => "http-not-here",
            Self::Http404MethodUnknown => "http-404-method-unknown",
            Self::HttpRequestRefused => "http-request-refused",
            Self::HttpWhoOrWhen => "http-who-or-when",
            Self::HttpServerError => "http-server-error",
            Self::HttpNoAnswer => "http-no-answer",
            Self::HttpWebPage => "http-web-page",
            Self::HttpOtherJson => "http-other-json",
            Self::SilencePipe => "silence-pipe",
            Self::SilenceHttp => "silence-http",
            Self::Exited => "exited",
        }
    }

    /// Says in one sentence why the row is read as it is.
    pub const fn why(self) -> &'static str {
        match self {
            Self::DiscoverModern => "the server lists a modern revision that we speak",
            Self::VersionMutual => "the server knows the modern era and lists another revision that we speak",
            Self::VersionRefusedAgain => "the server refused the very revision that it had listed",
            Self::Unauthorized => "a demand for credentials says nothing about the era",
            Self::Forbidden => "a refusal of who asks says nothing about the era",
            Self::Unreachable => "a network failure says nothing about the era",
            Self::Redirected => "the server points elsewhere, and following could leak the request",
            Self::ForeignReply => "the reply belongs to some other request",
            Self::UnknownResultType => "a result of an unknown type must not be used",
            Self::TooLarge => "the reply is over the size limit",
            Self::EndpointStream => "a stream that opens with an endpoint event is the HTTP+SSE transport",
            Self::RpcLegacyCode => "a server that does not know server/discover is a legacy one",
            Self::RpcNamesVersion => "the server names our revision as unsupported and lists only older ones",
            Self::RpcOtherCode => {
                "the error is not one of the modern codes, so it likely comes from a legacy server"
            }
            Self::RpcModernComplaint => {
                "only a modern server answers with this code, and it found our request wrong"
            }
            Self::VersionListLegacy => "the server lists only legacy revisions",
            Self::VersionListMissing => "the server refuses our revision and does not say what it speaks",
            Self::VersionListMixed => {
                "the server lists a legacy revision that we speak and later ones that we do not"
            }
            Self::VersionListForeign => "the server lists no revision that we speak",
            Self::DiscoverLegacyOnly => "the server answers discovery but lists only legacy revisions",
            Self::ResultNotDiscover => "the answer is not a discovery result",
            Self::Http400Prevalidation => {
                "the server wants a session, a handshake or an older revision first"
            }
            Self::Http400Uncorrelated => "the error does not carry our request's id",
            Self::Http400Opaque => {
                "a 400 without a modern error comes from a server that knows no modern requests"
            }
            Self::HttpNotHere => "the endpoint does not take modern requests",
            Self::Http404MethodUnknown => "the endpoint speaks JSON-RPC but does not know server/discover",
            Self::HttpRequestRefused => {
                "the status speaks of the request, which a legacy server never learned"
            }
            Self::HttpWhoOrWhen => "the status speaks of who asks or when, not of the request",
            Self::HttpServerError => "a server that is down says nothing about its era",
            Self::HttpNoAnswer => "the request was swallowed, as gateways do with unknown methods",
            Self::HttpWebPage => "the endpoint answers with a page or text, not with MCP",
            Self::HttpOtherJson => "the endpoint answers with JSON that is not JSON-RPC",
            Self::SilencePipe => "many legacy servers ignore requests that they do not know",
            Self::SilenceHttp => "silence over HTTP looks like an outage, not like a legacy server",
            Self::Exited => "many legacy servers exit on a request before initialize",
        }
    }

    /// Tells whether a fallback for this row must stay with POST and never try the deprecated transport.
    pub const fn post_only(self) -> bool {
        matches!(self, Self::Http404MethodUnknown)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule())
    }
}

/// The facts besides the evidence that the reading of an answer hangs on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<'a> {
    /// The modern revision of the probe.
    pub(super) revision: Revision,
    /// All that we speak.
    pub(super) ours: &'a [Revision],
    /// Whether a non-2xx reply may carry an id that is neither ours nor void.
    pub(super) any_id: bool,
}

impl Row {
    /// Reads the evidence of a probe.
    pub(super) fn read(evidence: &Evidence, attempt: Attempt<'_>) -> Self {
        match &evidence.seen {
            Seen::Unreachable => Self::Unreachable,
            Seen::Redirect(_) => Self::Redirected,
            Seen::TooLarge(_) => Self::TooLarge,
            Seen::EndpointEvent => Self::EndpointStream,
            Seen::Exited => Self::Exited,
            Seen::Silence if evidence.binding == Binding::Pipe => Self::SilencePipe,
            Seen::Silence => Self::SilenceHttp,
            Seen::Error { error, id, ours } => {
                let correlation = Correlation::of(id, *ours);
                match correlation.counts(evidence, attempt.any_id) {
                    true => correlated(evidence, error, correlation, attempt),
                    false if evidence.is_success() => Self::ForeignReply,
                    false if evidence.status == Some(400) => Self::Http400Uncorrelated,
                    false => by_status(evidence),
                }
            }
            seen if evidence.is_success() => answered(seen, attempt.ours),
            _ => by_status(evidence),
        }
    }
}

/// How the id of an error speaks for or against its being about the probe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Correlation {
    /// It is the probe's.
    Ours,
    /// It is null, absent, or what stands for null in a deployed SDK.
    Void,
    /// It is some other request's.
    Foreign,
}

impl Correlation {
    fn of(id: &ReplyId, ours: bool) -> Self {
        /// What version 1 of the Python SDK puts where JSON-RPC wants a null id.
        const PYTHON_NULL: &str = "server-error";
        match id {
            _ if ours => Self::Ours,
            ReplyId::Null | ReplyId::Absent => Self::Void,
            ReplyId::Id(Id::Text(text)) if **text == *PYTHON_NULL => Self::Void,
            _ => Self::Foreign,
        }
    }

    /// Tells whether the error counts as an answer to the probe: a non-2xx reply does by its exchange.
    fn counts(self, evidence: &Evidence, any_id: bool) -> bool {
        match evidence.binding {
            Binding::Pipe => self != Self::Foreign,
            Binding::Http if evidence.is_success() => self == Self::Ours,
            Binding::Http => self != Self::Foreign || any_id,
        }
    }
}

/// Reads a JSON-RPC error that belongs to the probe.
fn correlated(evidence: &Evidence, error: &RpcError, correlation: Correlation, attempt: Attempt<'_>) -> Row {
    match error.code {
        codes::UNSUPPORTED_PROTOCOL_VERSION => return version_list(error, attempt.ours),
        codes::HEADER_MISMATCH | codes::MISSING_CLIENT_CAPABILITY => return Row::RpcModernComplaint,
        codes::METHOD_NOT_FOUND if evidence.status == Some(404) => return Row::Http404MethodUnknown,
        _ if !evidence.is_success() && evidence.status != Some(400) => return by_status(evidence),
        codes::METHOD_NOT_FOUND | codes::INVALID_REQUEST | codes::INVALID_PARAMS => {
            return Row::RpcLegacyCode;
        }
        _ => {}
    }
    let names_version =
        Complaint::read(error, attempt.revision).is_some_and(|complaint| complaint.is_historical());
    let is_ours = correlation == Correlation::Ours || evidence.binding == Binding::Pipe;
    match is_ours {
        true if names_version => Row::RpcNamesVersion,
        true => Row::RpcOtherCode,
        false if names_version => Row::Http400Prevalidation,
        false if correlation == Correlation::Void && words::asks_for_handshake(&error.message) => {
            Row::Http400Prevalidation
        }
        false => Row::Http400Uncorrelated,
    }
}

/// Reads the list of a `-32022`, which means the same at any status.
fn version_list(error: &RpcError, ours: &[Revision]) -> Row {
    let words = words::listed(error);
    match Overlap::of(words.iter().map(String::as_str), ours) {
        Overlap::Modern(_) => Row::VersionMutual,
        Overlap::LegacyOnly(_) => Row::VersionListLegacy,
        Overlap::Mixed(_) => Row::VersionListMixed,
        Overlap::Nothing => Row::VersionListForeign,
        Overlap::NoList => Row::VersionListMissing,
    }
}

/// Reads a success that is no error: over a pipe all answers are.
fn answered(seen: &Seen, ours: &[Revision]) -> Row {
    match seen {
        Seen::Discovery(discovery) => {
            match Overlap::of(discovery.supported_versions.iter().map(String::as_str), ours) {
                Overlap::Modern(_) => Row::DiscoverModern,
                Overlap::LegacyOnly(_) => Row::DiscoverLegacyOnly,
                Overlap::Mixed(_) => Row::VersionListMixed,
                Overlap::Nothing => Row::VersionListForeign,
                Overlap::NoList => Row::ResultNotDiscover,
            }
        }
        Seen::UnknownResultType(_) => Row::UnknownResultType,
        Seen::ForeignReply(_) => Row::ForeignReply,
        Seen::NoAnswer | Seen::Empty => Row::HttpNoAnswer,
        Seen::OtherJson => Row::HttpOtherJson,
        Seen::WebPage(_) | Seen::Text => Row::HttpWebPage,
        _ => Row::ResultNotDiscover,
    }
}

/// Reads a status that no modern error explains.
fn by_status(evidence: &Evidence) -> Row {
    match evidence.status.unwrap_or_default() {
        400 => Row::Http400Opaque,
        401 => Row::Unauthorized,
        403 => Row::Forbidden,
        404 | 405 => Row::HttpNotHere,
        402 | 407 | 408 | 421 | 423 | 425 | 429 | 451 => Row::HttpWhoOrWhen,
        // A 4xx that we do not know counts as a 400 would (RFC 9110, section 15), so it speaks of the request.
        406..500 => Row::HttpRequestRefused,
        _ => Row::HttpServerError,
    }
}

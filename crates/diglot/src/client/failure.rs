//! Turns a failed negotiation, or a failed request, into the one error that callers see.

use std::time::Duration;

use diglot_proto::jsonrpc::{Id, Message, RpcError};
use diglot_proto::lifecycle::{
    Binding, Contradiction, Downgrade, Evidence, Failure, FailureKind, Mode, Negotiation, Row, Seen,
};
use diglot_proto::version::Era;

use crate::client::ask::Came;
use crate::client::settings::Settings;
use crate::client::wire::Wire;
use crate::error::{
    DowngradeRefused, Error, HttpError, Incompatible, IncompatibleReason, Phase, ProtocolError, TimeoutError,
    TransportError, TransportFault, Unauthorized, Violation,
};
use crate::transport::{HttpReply, Inbound, ReplyBody};

/// How long a server may take to exit after it refused `initialize`, so that both can be reported.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Makes the error of settings that exclude each other.
pub(super) fn contradiction(contradiction: Contradiction, mode: Mode, downgrade: &Downgrade) -> Error {
    let mut negotiation = Negotiation::default();
    negotiation.mode = mode.as_str();
    negotiation.policy = downgrade.name();
    Error::Incompatible(Box::new(Incompatible {
        reason: IncompatibleReason::Contradiction(contradiction),
        offered: Vec::new(),
        server_offered: Vec::new(),
        negotiation,
    }))
}

/// Makes the error of a failed negotiation.
pub(super) async fn negotiated(
    failure: Failure,
    came: Came,
    settings: &Settings,
    wire: Option<&Wire>,
) -> Error {
    let Failure { kind, sent, evidence, row, offered, server_offered, .. } = failure;
    let incompatible = |reason, offered, server_offered| {
        let negotiation = Negotiation::default();
        Error::Incompatible(Box::new(Incompatible { reason, offered, server_offered, negotiation }))
    };
    match kind {
        FailureKind::NoMutualVersion => {
            incompatible(IncompatibleReason::NoMutualVersion, offered, server_offered)
        }
        FailureKind::LegacyServer => incompatible(IncompatibleReason::LegacyServer, offered, server_offered),
        FailureKind::DowngradeRefused => Error::DowngradeRefused(Box::new(DowngradeRefused {
            row: row.unwrap_or(Row::ResultNotDiscover),
            evidence,
            negotiation: Negotiation::default(),
        })),
        FailureKind::Timeout => silence(sent, settings, wire),
        FailureKind::HttpStatus | FailureKind::Unauthorized | FailureKind::Forbidden => match came {
            Came::Reply(reply) if Some(reply.status) == evidence.status => self::reply(*reply, sent),
            Came::Lost(error) => harmless(error).into(),
            _ => bare_status(&evidence, sent),
        },
        FailureKind::Exited
        | FailureKind::Unreachable
        | FailureKind::RedirectRefused
        | FailureKind::EndpointRefused => match came {
            Came::Lost(error) => error.into(),
            _ => TransportError::new(TransportFault::Ended, "the server").into(),
        },
        _ => protocol(evidence, came, sent, wire).await,
    }
}

/// An opening request does nothing, so it needs no warning that it may have been acted on.
fn harmless(mut error: TransportError) -> TransportError {
    error.sent = false;
    error
}

fn silence(sent: &str, settings: &Settings, wire: Option<&Wire>) -> Error {
    let (phase, after) = match sent {
        "server/discover" => (Phase::Probe, settings.probe_timeout),
        "initialize" => (Phase::Initialize, settings.initialize_timeout),
        _ => (Phase::Open, settings.initialize_timeout),
    };
    let stderr = wire.map(|wire| wire.connection.stderr_tail()).unwrap_or_default();
    TimeoutError { stderr, ..TimeoutError::new(phase, sent, after) }.into()
}

/// Makes the error of a time-out during the handshake.
pub(super) fn timeout(method: &str, after: Duration, wire: &Wire) -> Error {
    let stderr = wire.connection.stderr_tail();
    TimeoutError { stderr, ..TimeoutError::new(Phase::Initialize, method, after) }.into()
}

async fn protocol(evidence: Evidence, came: Came, sent: &str, wire: Option<&Wire>) -> Error {
    let mut error = ProtocolError::new(violation(&evidence, sent), sent);
    error.status = evidence.status;
    error.excerpt = evidence.excerpt;
    if let Came::Lost(lost) = came {
        return harmless(lost).into();
    }
    // A server that closes after refusing initialize reports both failures (rule 7).
    if let (Violation::InitializeRefused(_), Some(wire), Binding::Pipe) =
        (&error.violation, wire, evidence.binding)
    {
        let ended = async { while wire.connection.unsolicited().await.is_some() {} };
        if tokio::time::timeout(LAST_WORDS, ended).await.is_ok() {
            error.closing = wire.connection.failure().map(Box::new);
        }
    }
    error.into()
}

fn violation(evidence: &Evidence, sent: &str) -> Violation {
    match &evidence.seen {
        Seen::Error { error, .. } if sent == "initialize" => Violation::InitializeRefused(error.clone()),
        // Over HTTP an error that says whose it is not is no complaint about our request (rule 5).
        Seen::Error { ours: false, .. } if evidence.is_success() && evidence.binding == Binding::Http => {
            Violation::ForeignReply
        }
        Seen::Error { error, .. } => Violation::Complaint(error.clone()),
        Seen::WebPage(title) => Violation::WebPage(title.clone()),
        Seen::Text | Seen::OtherJson => Violation::NotJsonRpc,
        Seen::ForeignReply(_) => Violation::ForeignReply,
        Seen::UnknownResultType(word) => Violation::UnknownResultType(word.clone()),
        Seen::TooLarge(limit) => Violation::TooLarge(*limit),
        Seen::Unreadable => Violation::Unreadable(evidence.excerpt.clone()),
        Seen::NoAnswer | Seen::Empty => Violation::NoAnswer,
        Seen::ForeignEndpoint(endpoint) => Violation::ForeignEndpoint(endpoint.clone()),
        Seen::EndpointEvent => {
            Violation::WrongShape("it is the deprecated HTTP+SSE transport, which is not allowed here")
        }
        _ if sent == "initialize" => Violation::WrongShape("it names no protocolVersion"),
        _ => Violation::WrongShape("it is no discovery result"),
    }
}

fn bare_status(evidence: &Evidence, sent: &str) -> Error {
    let mut reply = HttpReply::new(evidence.status.unwrap_or_default());
    reply.excerpt = evidence.excerpt.clone();
    self::reply(reply, sent)
}

/// Makes the error of an HTTP answer that is no message.
pub(super) fn reply(reply: HttpReply, method: &str) -> Error {
    if matches!(reply.status, 401 | 403) && (reply.status == 401 || is_credentials(&reply)) {
        return Error::Unauthorized(Box::new(Unauthorized {
            status: reply.status,
            challenges: reply.challenges,
            had_credentials: reply.had_credentials,
            excerpt: reply.excerpt,
            negotiation: None,
        }));
    }
    if reply.is_success() {
        return unusable(reply, method);
    }
    let mut error = HttpError::new(reply.status, method);
    error.retry_after = reply.retry_after;
    error.content_type = reply.content_type;
    error.excerpt = reply.excerpt;
    match reply.body {
        ReplyBody::WebPage(title) => error.page_title = title,
        ReplyBody::Rpc(response) => error.rpc = response.outcome.err(),
        _ => {}
    }
    Error::Http(Box::new(error))
}

/// A 403 speaks of credentials whether or not it has a challenge: what else could a caller do about it.
fn is_credentials(reply: &HttpReply) -> bool {
    reply.status == 403
}

fn unusable(reply: HttpReply, method: &str) -> Error {
    let violation = match reply.body {
        ReplyBody::WebPage(title) => Violation::WebPage(title),
        ReplyBody::Text | ReplyBody::OtherJson => Violation::NotJsonRpc,
        ReplyBody::Unreadable(unreadable) => Violation::Unreadable(unreadable.to_string()),
        ReplyBody::TooLarge(limit) => Violation::TooLarge(u64::try_from(limit).unwrap_or(u64::MAX)),
        ReplyBody::Rpc(_) => Violation::ForeignReply,
        ReplyBody::Empty => Violation::NoAnswer,
    };
    let mut error = ProtocolError::new(violation, method);
    error.status = Some(reply.status);
    error.excerpt = reply.excerpt;
    error.into()
}

/// Makes the error of something that came in the place of an answer to a request with the given id.
///
/// A modern server sends its JSON-RPC errors with a status of their own; with our id in them they are its answer, as
/// they would be over a pipe.
pub(super) fn instead_of_answer(inbound: Inbound, method: &str, id: &Id, era: Era) -> Error {
    let violation = match inbound {
        Inbound::Http(reply) => {
            let is_answer = era == Era::Modern && matches!(reply.status, 400 | 404);
            return match reply.body {
                ReplyBody::Rpc(response)
                    if is_answer && response.id.matches(id) && response.outcome.is_err() =>
                {
                    match response.outcome {
                        Err(error) => error.into(),
                        Ok(_) => Error::Closed,
                    }
                }
                body => self::reply(HttpReply { body, ..*reply }, method),
            };
        }
        Inbound::Unreadable(unreadable) => Violation::Unreadable(unreadable.to_string()),
        Inbound::TooLarge(limit) => Violation::TooLarge(u64::try_from(limit).unwrap_or(u64::MAX)),
        Inbound::Endpoint(_) => Violation::WrongShape("the stream is the deprecated HTTP+SSE transport"),
        Inbound::Message(Message::Response(_)) => Violation::ForeignReply,
        Inbound::Message(_) | Inbound::Missed => Violation::NoAnswer,
    };
    ProtocolError::new(violation, method).into()
}

/// Adds the record of the negotiation to its error.
pub(super) fn with_negotiation(mut error: Error, negotiation: Negotiation) -> Error {
    match &mut error {
        Error::Incompatible(detail) => detail.negotiation = negotiation,
        Error::DowngradeRefused(detail) => detail.negotiation = negotiation,
        Error::Protocol(detail) => detail.negotiation = Some(Box::new(negotiation)),
        Error::Http(detail) => detail.negotiation = Some(Box::new(negotiation)),
        Error::Timeout(detail) => detail.negotiation = Some(Box::new(negotiation)),
        Error::Transport(detail) => detail.negotiation = Some(Box::new(negotiation)),
        Error::Unauthorized(detail) => detail.negotiation = Some(Box::new(negotiation)),
        Error::Cancelled
        | Error::Closed
        | Error::Arguments(_)
        | Error::OverLimit(..)
        | Error::Rpc(_)
        | Error::Skill(_)
        | Error::Lost(_) => {}
    }
    error
}

/// Tells whether an error of a request says that the server does not speak as it is remembered to (rule 13).
pub(super) fn doubts_the_era(error: &Error) -> bool {
    use diglot_proto::jsonrpc::codes;
    let doubtful = |rpc: &RpcError| {
        matches!(
            rpc.code,
            codes::UNSUPPORTED_PROTOCOL_VERSION
                | codes::METHOD_NOT_FOUND
                | codes::INVALID_REQUEST
                | codes::INVALID_PARAMS
        )
    };
    match error {
        Error::Rpc(rpc) => doubtful(rpc),
        Error::Http(detail) => matches!(detail.status, 400 | 404..=406 | 409..=415 | 422),
        Error::Protocol(detail) => detail.status.is_some(),
        Error::Transport(detail) => matches!(detail.fault, TransportFault::Exited(_) | TransportFault::Ended),
        _ => false,
    }
}

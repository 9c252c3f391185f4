//! The one error of the crate: a variant says who must act, its payload says what was seen.
//!
//! Every failure of a connect carries its [`Negotiation`], so that the reason can be read afterwards. No
//! payload holds a secret: excerpts are bounded, and header values that the caller marked are cut out of them.

mod http;
mod lost;
mod negotiated;
mod protocol;
mod skill;
mod transport;

use std::fmt;
use std::time::Duration;

pub use diglot_proto::http::session::SessionLoss;
use diglot_proto::jsonrpc::RpcError;
use diglot_proto::lifecycle::{Mode, Negotiation};

pub use self::http::{HttpError, Unauthorized};
pub use self::lost::{LossCause, Lost, LostSession, Reopening};
pub use self::negotiated::{DowngradeRefused, Incompatible, IncompatibleReason};
pub use self::protocol::{ProtocolError, Violation};
pub use self::skill::{FrontmatterError, SkillFault, SkillRefused};
pub use self::transport::{BadAddress, ExitReport, RedirectReason, TransportError, TransportFault};

/// Any failure of a client.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The caller withdrew the request.
    Cancelled,
    /// The client is closed; connect again.
    Closed,
    /// The caller gave arguments that cannot be sent; the text says what is wrong with them.
    Arguments(&'static str),
    /// The caller wants more at once than a limit of the client allows: the limit's name, and what it is set to.
    OverLimit(&'static str, usize),
    /// Both sides have no version in common, or the settings exclude each other.
    Incompatible(Box<Incompatible>),
    /// The server looks legacy, and the policy does not allow the downgrade on this evidence.
    DowngradeRefused(Box<DowngradeRefused>),
    /// The server broke the specification, or is no MCP server.
    Protocol(Box<ProtocolError>),
    /// The server answered with a JSON-RPC error.
    Rpc(Box<RpcError>),
    /// The server answered with an HTTP status that stands for itself.
    Http(Box<HttpError>),
    /// Nothing came within the time budget.
    Timeout(Box<TimeoutError>),
    /// The established connection was lost; the caller decides whether the request is sent again.
    Lost(Box<Lost>),
    /// The wire failed: a process, a pipe, or the network.
    Transport(Box<TransportError>),
    /// The server wants credentials, or denies access to them.
    Unauthorized(Box<Unauthorized>),
    /// A skill is not what the server said of it, and must not be used.
    Skill(Box<SkillRefused>),
}

impl Error {
    /// Returns the record of the negotiation that failed, where it was a negotiation that did.
    pub fn negotiation(&self) -> Option<&Negotiation> {
        match self {
            Self::Incompatible(detail) => Some(&detail.negotiation),
            Self::DowngradeRefused(detail) => Some(&detail.negotiation),
            Self::Protocol(detail) => detail.negotiation.as_deref(),
            Self::Http(detail) => detail.negotiation.as_deref(),
            Self::Timeout(detail) => detail.negotiation.as_deref(),
            Self::Transport(detail) => detail.negotiation.as_deref(),
            Self::Unauthorized(detail) => detail.negotiation.as_deref(),
            Self::Lost(detail) => match &detail.reopening {
                Reopening::Failed(error) => error.negotiation(),
                _ => None,
            },
            Self::Cancelled
            | Self::Closed
            | Self::Arguments(_)
            | Self::OverLimit(..)
            | Self::Rpc(_)
            | Self::Skill(_) => None,
        }
    }

    /// Returns the HTTP status behind the error, where there is one.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Http(detail) => Some(detail.status),
            Self::Unauthorized(detail) => Some(detail.status),
            Self::DowngradeRefused(detail) => detail.evidence.status,
            Self::Protocol(detail) => detail.status,
            Self::Transport(detail) => detail.status,
            Self::Lost(detail) => match &detail.cause {
                LossCause::Session(session) => Some(session.status),
                LossCause::Wire(error) => error.status,
                LossCause::Memory => None,
            },
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the request was cancelled"),
            Self::Closed => f.write_str("the client is closed; connect again to go on"),
            Self::Arguments(what) => write!(f, "the arguments cannot be sent: {what}"),
            Self::OverLimit(name, limit) => {
                write!(f, "the limit of {limit} {name} is reached; wait for one to end, or raise it")
            }
            Self::Incompatible(detail) => detail.fmt(f),
            Self::DowngradeRefused(detail) => detail.fmt(f),
            Self::Protocol(detail) => detail.fmt(f),
            Self::Rpc(error) => write!(f, "the server answered with an error: {error}"),
            Self::Http(detail) => detail.fmt(f),
            Self::Timeout(detail) => detail.fmt(f),
            Self::Lost(detail) => detail.fmt(f),
            Self::Transport(detail) => detail.fmt(f),
            Self::Unauthorized(detail) => detail.fmt(f),
            Self::Skill(detail) => detail.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(detail) => std::error::Error::source(detail.as_ref()),
            Self::Skill(detail) => std::error::Error::source(detail.as_ref()),
            Self::Lost(detail) => match (&detail.reopening, &detail.cause) {
                // Its own words are in the message already.
                (Reopening::Failed(error), _) => error.source(),
                (_, LossCause::Wire(error)) => std::error::Error::source(error.as_ref()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What was waited for in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The connection, or the HTTP+SSE stream's first event.
    Open,
    /// The answer to `server/discover`.
    Probe,
    /// The answer to `initialize`.
    Initialize,
    /// The answer to a request of the established connection.
    Request,
}

/// Nothing came within the time budget.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TimeoutError {
    /// What was waited for.
    pub phase: Phase,
    /// The method of the request.
    pub method: String,
    /// How long it was waited.
    pub after: Duration,
    /// The last lines of a child process's stderr, where there is one.
    pub stderr: Vec<String>,
    /// The negotiation that the silence ended.
    pub negotiation: Option<Box<Negotiation>>,
}

impl TimeoutError {
    /// States what was waited for, and how long.
    pub fn new(phase: Phase, method: impl Into<String>, after: Duration) -> Self {
        Self { phase, method: method.into(), after, stderr: Vec::new(), negotiation: None }
    }
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer to {} within {:?}", self.method, self.after)?;
        match self.phase {
            Phase::Open => f.write_str("; is it the right address?"),
            Phase::Probe => match &self.negotiation {
                Some(negotiation) if negotiation.mode != Mode::Modern.as_str() => {
                    write!(f, "; the {} policy does not take silence for a legacy server", negotiation.policy)
                }
                _ => Ok(()),
            },
            Phase::Initialize => {
                f.write_str("; a server that is slow to start needs a longer initialize time-out")
            }
            Phase::Request => f.write_str("; a longer time-out can be set on the call"),
        }?;
        transport::write_stderr(f, &self.stderr)
    }
}

impl From<Lost> for Error {
    fn from(error: Lost) -> Self {
        Self::Lost(Box::new(error))
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self::Transport(Box::new(error))
    }
}

impl From<ProtocolError> for Error {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(Box::new(error))
    }
}

impl From<TimeoutError> for Error {
    fn from(error: TimeoutError) -> Self {
        Self::Timeout(Box::new(error))
    }
}

impl From<RpcError> for Error {
    fn from(error: RpcError) -> Self {
        Self::Rpc(Box::new(error))
    }
}

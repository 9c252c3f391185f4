//! The loss of a connection that was established, where a request could not simply be sent again.

use std::fmt;
use std::sync::Arc;

use diglot_proto::http::session::SessionLoss;

use super::http::Brief;
use super::{Error, TransportError};

/// A connection that was lost, and what that means for the request that found it out.
///
/// With [`Reopening::Done`] the client can be used on, and the caller decides whether to send the request again. With
/// the others it cannot for the moment: each new request tries anew, within the limits.
#[derive(Debug)]
#[non_exhaustive]
pub struct Lost {
    /// The method of the request that was not answered.
    pub method: String,
    /// What was lost.
    pub cause: LossCause,
    /// What became of the attempt to open it anew.
    pub reopening: Reopening,
    /// Whether the server may have acted on the request.
    pub may_have_acted: bool,
}

/// What was lost of a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum LossCause {
    /// A legacy server does not know the session any more.
    Session(LostSession),
    /// The wire ended: the process exited, or the event stream of HTTP+SSE broke off.
    Wire(Box<TransportError>),
    /// What was remembered of the server's era proved wrong.
    Memory,
}

/// A session that a legacy server does not know any more.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LostSession {
    /// The HTTP status that said so.
    pub status: u16,
    /// What in the answer said so.
    pub sign: SessionLoss,
    /// The beginning of the answer's body.
    pub excerpt: String,
}

/// What became of the attempt to open a lost connection anew.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reopening {
    /// It is open again.
    Done,
    /// It failed; several requests may share the reason.
    Failed(Arc<Error>),
    /// There were too many within a minute.
    OverLimit {
        /// The name of the limit.
        limit: &'static str,
        /// What it is set to.
        most: usize,
    },
}

impl LostSession {
    /// States the status and what said that the session is lost.
    pub fn new(status: u16, sign: SessionLoss) -> Self {
        Self { status, sign, excerpt: String::new() }
    }
}

impl LossCause {
    /// Makes a copy for another request or event with the same cause; the source of an error stays as text.
    pub fn again(&self) -> Self {
        match self {
            Self::Session(session) => Self::Session(session.clone()),
            Self::Wire(error) => Self::Wire(Box::new(error.again())),
            Self::Memory => Self::Memory,
        }
    }
}

impl Lost {
    /// States the request, what was lost, and what became of the attempt to open it anew.
    pub fn new(method: impl Into<String>, cause: LossCause, reopening: Reopening) -> Self {
        let may_have_acted = match &cause {
            LossCause::Session(session) => !session.sign.is_refusal(),
            LossCause::Wire(error) => error.sent,
            LossCause::Memory => false,
        };
        Self { method: method.into(), cause, reopening, may_have_acted }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)?;
        match &self.reopening {
            Reopening::Done => write!(
                f,
                "; the connection is open again, and {} was not repeated by itself: send it again if that does no harm",
                self.method
            )?,
            reopening => write!(f, "; {reopening}")?,
        }
        if self.may_have_acted {
            write!(f, "; the server may have acted on {}", self.method)?;
        }
        match &self.cause {
            LossCause::Wire(error) => error.write_last_words(f),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LossCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(session) => {
                write!(f, "the server does not know the session any more (HTTP status {}", session.status)?;
                match session.excerpt.is_empty() {
                    true => f.write_str(")"),
                    false => write!(f, ": {})", Brief(&session.excerpt)),
                }
            }
            Self::Wire(error) => error.write_fault(f),
            Self::Memory => f.write_str("the server is not of the era that was remembered of it"),
        }
    }
}

impl fmt::Display for Reopening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("the connection is open again"),
            Self::Failed(error) => write!(f, "it could not be opened anew: {error}"),
            Self::OverLimit { limit, most } => {
                write!(f, "it was opened anew too often of late (limit {limit}, {most})")
            }
        }
    }
}

//! What a connect came to, as one short word: what policies are compared by, and expected to decide.

use std::fmt;

use diglot::error::{IncompatibleReason, TransportFault, Violation};
use diglot::{Era, Error, Revision};

/// What became of one connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Connected, at this revision.
    Connected(Revision),
    /// The policy refuses the downgrade.
    Refused,
    /// Both sides have no version in common.
    NoVersion,
    /// The server wants credentials.
    AuthRequired,
    /// The HTTP status is the answer.
    Status(u16),
    /// The endpoint is not MCP.
    NotMcp,
    /// Nothing came in time.
    Timeout,
    /// The server closed the pipe.
    Exited,
    /// The wire failed in another way.
    Unreached,
    /// The server broke the specification, or anything else went wrong.
    Broken,
}

impl Verdict {
    /// Reads the failure of a connect.
    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::DowngradeRefused(_) => Self::Refused,
            Error::Incompatible(detail) if detail.reason == IncompatibleReason::NoMutualVersion => {
                Self::NoVersion
            }
            Error::Unauthorized(detail) if detail.status == 401 => Self::AuthRequired,
            Error::Unauthorized(detail) => Self::Status(detail.status),
            Error::Http(detail) => Self::Status(detail.status),
            Error::Timeout(_) => Self::Timeout,
            Error::Protocol(detail) => match detail.violation {
                Violation::WebPage(_) | Violation::NotJsonRpc => Self::NotMcp,
                _ => Self::Broken,
            },
            Error::Transport(detail) => match detail.fault {
                TransportFault::Exited(_) | TransportFault::Ended => Self::Exited,
                _ => Self::Unreached,
            },
            _ => Self::Broken,
        }
    }

    /// Returns the agreed revision, where there is one.
    pub(super) fn revision(self) -> Option<Revision> {
        match self {
            Self::Connected(revision) => Some(revision),
            _ => None,
        }
    }

    /// Returns the word that scripts know: an era, or a kind of failure.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Connected(revision) => revision.era().as_str(),
            Self::Refused => "downgrade-refused",
            Self::NoVersion => "no-mutual-version",
            Self::AuthRequired => "auth-required",
            Self::Status(403) => "forbidden",
            Self::Status(_) => "http-status",
            Self::NotMcp => "not-mcp",
            Self::Timeout => "timeout",
            Self::Exited => "process-exited",
            Self::Unreached => "connection-failed",
            Self::Broken => "protocol-error",
        }
    }
}

/// Writes the words of the table, 11 columns at most.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Connected(revision) if revision.era() == Era::Modern => "modern",
            Self::Connected(_) => "legacy",
            Self::Refused => "refused",
            Self::NoVersion => "no version",
            Self::AuthRequired => "needs auth",
            Self::Status(status) => return f.pad(&format!("HTTP {status}")),
            Self::NotMcp => "not MCP",
            Self::Timeout => "timeout",
            Self::Exited => "closed",
            Self::Unreached => "unreached",
            Self::Broken => "broken",
        };
        f.pad(word)
    }
}

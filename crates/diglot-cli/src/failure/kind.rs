//! The kinds of failure, and the exit status of each.

use serde::Serialize;

/// The kinds of failure: stable words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    AuthRequired,
    Forbidden,
    HttpStatus,
    NoMutualVersion,
    LegacyServer,
    DowngradeRefused,
    ProtocolError,
    NotMcp,
    EndpointRefused,
    RedirectRefused,
    Timeout,
    ConnectionFailed,
    ProcessExited,
    Usage,
}

impl Kind {
    /// Returns the word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::AuthRequired => "auth-required",
            Self::Forbidden => "forbidden",
            Self::HttpStatus => "http-status",
            Self::NoMutualVersion => "no-mutual-version",
            Self::LegacyServer => "legacy-server",
            Self::DowngradeRefused => "downgrade-refused",
            Self::ProtocolError => "protocol-error",
            Self::NotMcp => "not-mcp",
            Self::EndpointRefused => "endpoint-refused",
            Self::RedirectRefused => "redirect-refused",
            Self::Timeout => "timeout",
            Self::ConnectionFailed => "connection-failed",
            Self::ProcessExited => "process-exited",
            Self::Usage => "usage",
        }
    }

    /// Returns the exit status.
    pub(crate) const fn exit(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Timeout | Self::ConnectionFailed => 3,
            Self::AuthRequired | Self::Forbidden => 4,
            _ => 1,
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

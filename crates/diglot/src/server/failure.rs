//! Why a server stops before its time.

use std::{fmt, io};

/// A failure of serving itself, not of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// What clients send cannot be read.
    Read(io::Error),
    /// The standard streams of the process cannot be used.
    Streams(io::Error),
    /// An address or the path of a socket cannot be listened on.
    Listen {
        /// The address, or the path.
        place: String,
        /// Why not.
        error: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(_) => f.write_str("the client's messages cannot be read"),
            Self::Streams(_) => f.write_str("the standard streams cannot be used"),
            Self::Listen { place, .. } => write!(f, "cannot listen on {place}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Streams(error) | Self::Listen { error, .. } => Some(error),
        }
    }
}

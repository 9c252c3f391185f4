//! Why a server stops before its time.

use std::path::PathBuf;
use std::{fmt, io};

/// A failure of serving itself, not of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// What clients send cannot be read.
    Read(io::Error),
    /// The standard streams of the process cannot be used.
    Streams(io::Error),
    /// No socket can be made at a path.
    Bind {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(_) => f.write_str("the client's messages cannot be read"),
            Self::Streams(_) => f.write_str("the standard streams cannot be used"),
            Self::Bind { path, .. } => write!(f, "cannot listen at {}", path.display()),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Streams(error) | Self::Bind { error, .. } => Some(error),
        }
    }
}

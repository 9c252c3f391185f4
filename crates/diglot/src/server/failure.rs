//! Why a server stops before its time.

use std::{fmt, io};

/// A failure of serving itself, not of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// What clients send cannot be read.
    Read(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read(_) => "the client's messages cannot be read",
        })
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
        }
    }
}

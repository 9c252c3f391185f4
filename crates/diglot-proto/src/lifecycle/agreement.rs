//! How a negotiation ends: what both sides agree on, or why they do not.

use serde_json::value::RawValue;

use crate::lifecycle::{Evidence, Row};
use crate::types::{Discovery, Implementation, Initialization};
use crate::version::{Era, Revision};

/// What client and server agree on: the same readers in both eras.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Agreement {
    /// The revision that all requests follow.
    pub revision: Revision,
    /// The versions that the server says it speaks, in its words; in the legacy era the one that it chose.
    pub supported_versions: Vec<String>,
    /// The server's name and version, unless it does not identify itself.
    pub server: Option<Implementation>,
    /// The server's capabilities as it wrote them.
    pub capabilities: Box<RawValue>,
    /// Guidance for a model on how to use the server.
    pub instructions: Option<String>,
    /// The whole `DiscoverResult` or `InitializeResult` as it came.
    pub raw: Box<RawValue>,
    /// Whether this is worth remembering: not where it rests on silence, or itself comes from memory.
    pub memorable: bool,
    /// Whether this comes from memory, so that the first request is still to prove it.
    pub assumed: bool,
}

impl Agreement {
    /// Returns the era of the agreed revision.
    pub fn era(&self) -> Era {
        self.revision.era()
    }

    pub(super) fn modern(revision: Revision, discovery: &Discovery) -> Self {
        Self {
            revision,
            supported_versions: discovery.supported_versions.clone(),
            server: discovery.server.clone(),
            capabilities: discovery.capabilities.clone(),
            instructions: discovery.instructions.clone(),
            raw: discovery.raw.clone(),
            memorable: true,
            assumed: false,
        }
    }

    pub(super) fn legacy(revision: Revision, initialization: &Initialization, memorable: bool) -> Self {
        Self {
            revision,
            supported_versions: vec![initialization.protocol_version.clone()],
            server: initialization.server.clone(),
            capabilities: initialization.capabilities.clone(),
            instructions: initialization.instructions.clone(),
            raw: initialization.raw.clone(),
            memorable,
            assumed: false,
        }
    }
}

/// Why a negotiation failed, with the evidence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The method of the request that failed: `server/discover`, `initialize`, or `GET` for the HTTP+SSE stream.
    pub sent: &'static str,
    /// What came back to it.
    pub evidence: Evidence,
    /// The row of the table that settled it, where it was the probe's answer.
    pub row: Option<Row>,
    /// The revisions that we offered.
    pub offered: Vec<Revision>,
    /// The versions that the server offered, in its words.
    pub server_offered: Vec<String>,
    /// What the probe saw before, where it was `initialize` that failed in the end.
    pub before: Option<Box<Evidence>>,
}

/// The kinds of failed negotiation, by what a caller can do about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No version in common.
    NoMutualVersion,
    /// The server is legacy, and the client may not fall back.
    LegacyServer,
    /// The policy refuses the downgrade.
    DowngradeRefused,
    /// The server broke the specification, refused `initialize`, or found our request wrong.
    Protocol,
    /// An HTTP status that says nothing about the era.
    HttpStatus,
    /// 401, or 403 with a challenge.
    Unauthorized,
    /// 403.
    Forbidden,
    /// The endpoint is not MCP.
    NotMcp,
    /// The HTTP+SSE stream names an endpoint of another origin.
    EndpointRefused,
    /// A redirect that must not be followed.
    RedirectRefused,
    /// No answer in time.
    Timeout,
    /// The process ended, or the pipe closed.
    Exited,
    /// The network failed.
    Unreachable,
}

impl FailureKind {
    /// Returns the word that trails and scripts show.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoMutualVersion => "no-mutual-version",
            Self::LegacyServer => "legacy-server",
            Self::DowngradeRefused => "downgrade-refused",
            Self::Protocol => "protocol-error",
            Self::HttpStatus => "http-status",
            Self::Unauthorized => "auth-required",
            Self::Forbidden => "forbidden",
            Self::NotMcp => "not-mcp",
            Self::EndpointRefused => "endpoint-refused",
            Self::RedirectRefused => "redirect-refused",
            Self::Timeout => "timeout",
            Self::Exited => "process-exited",
            Self::Unreachable => "connection-failed",
        }
    }
}

//! What came back to a probe or to `initialize`, as a value.

use crate::jsonrpc::{Id, ReplyId, Response, RpcError};
use crate::lifecycle::Binding;
use crate::types::{Discovery, DiscoveryFault, Initialization};

/// What a peer did with an opening request: the input of every policy.
///
/// It is the same value whatever transport it came over, so that a policy needs to know none of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// The kind of wire.
    pub binding: Binding,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What was seen.
    pub seen: Seen,
    /// The beginning of what came, for people; its length is the transport's excerpt limit at most.
    pub excerpt: String,
}

/// The kinds of answer that negotiation tells apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Seen {
    /// A usable `DiscoverResult`.
    Discovery(Box<Discovery>),
    /// A usable `InitializeResult`.
    Initialization(Box<Initialization>),
    /// A result of another shape than the request asks for.
    OtherResult,
    /// A result whose `resultType` nobody defined.
    UnknownResultType(String),
    /// A JSON-RPC error, with the id that it carried.
    Error {
        /// The error.
        error: RpcError,
        /// Its id.
        id: ReplyId,
        /// Whether that id is ours, under the lenient forms of a reply's id.
        ours: bool,
    },
    /// A reply inside a 2xx HTTP answer that belongs to some other request.
    ForeignReply(ReplyId),
    /// JSON-RPC that answers us but cannot be read.
    Unreadable,
    /// A stream that ended cleanly without an answer, or a 2xx without a body.
    NoAnswer,
    /// JSON that is not JSON-RPC.
    OtherJson,
    /// An HTML page, with its title.
    WebPage(Option<String>),
    /// Text that is neither JSON nor HTML.
    Text,
    /// Nothing: a status without a body.
    Empty,
    /// A stream whose first event is `endpoint`: the deprecated HTTP+SSE transport.
    EndpointEvent,
    /// An `endpoint` event that names another origin, which is refused.
    ForeignEndpoint(String),
    /// No answer within the time budget.
    Silence,
    /// The other end closed the pipe, or its process ended.
    Exited,
    /// A redirect that is not followed, with its target.
    Redirect(String),
    /// A reply over a size limit, in bytes.
    TooLarge(u64),
    /// The network failed: no connection, no name, no TLS, a reset in the middle.
    Unreachable,
}

impl Evidence {
    /// States what was seen over a wire, with the HTTP status where there was one.
    pub fn new(binding: Binding, status: Option<u16>, seen: Seen) -> Self {
        Self { binding, status, seen, excerpt: String::new() }
    }

    /// States what was seen over a pipe.
    pub fn pipe(seen: Seen) -> Self {
        Self::new(Binding::Pipe, None, seen)
    }

    /// States what was seen over HTTP.
    pub fn http(status: u16, seen: Seen) -> Self {
        Self::new(Binding::Http, Some(status), seen)
    }

    /// Adds the beginning of what came.
    #[must_use]
    pub fn excerpt(mut self, excerpt: impl Into<String>) -> Self {
        self.excerpt = excerpt.into();
        self
    }

    /// Tells whether the answer is a success over HTTP, or came over a pipe, where there is no status.
    pub fn is_success(&self) -> bool {
        self.status.is_none_or(|status| (200..300).contains(&status))
    }

    /// Tells whether the answer is a JSON-RPC message of any kind.
    pub fn is_json_rpc(&self) -> bool {
        matches!(
            self.seen,
            Seen::Discovery(_)
                | Seen::Initialization(_)
                | Seen::OtherResult
                | Seen::UnknownResultType(_)
                | Seen::Error { .. }
                | Seen::ForeignReply(_)
                | Seen::Unreadable
        )
    }
}

/// Which opening request an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// `server/discover`.
    Discover,
    /// `initialize`.
    Initialize,
}

impl Seen {
    /// Reads a JSON-RPC response to an opening request.
    ///
    /// `id` is the request's. A result whose id is not ours is a foreign reply; an error keeps its id, since a
    /// non-2xx HTTP answer correlates by its exchange (rule 5).
    pub fn response(response: &Response<'_>, id: &Id, asked: Asked) -> Self {
        let ours = response.id.matches(id);
        let result = match &response.outcome {
            Ok(result) => result,
            Err(error) => return Self::Error { error: error.clone(), id: response.id.clone(), ours },
        };
        if !ours {
            return Self::ForeignReply(response.id.clone());
        }
        match asked {
            Asked::Discover => match Discovery::read(result) {
                Ok(discovery) => Self::Discovery(Box::new(discovery)),
                Err(DiscoveryFault::UnknownResultType(word)) => Self::UnknownResultType(word),
                Err(_) => Self::OtherResult,
            },
            Asked::Initialize => match Initialization::read(result) {
                Ok(initialization) => Self::Initialization(Box::new(initialization)),
                Err(_) => Self::OtherResult,
            },
        }
    }

    /// Names the kind in a word that stays stable, for trails and scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Discovery(_) => "discover-result",
            Self::Initialization(_) => "initialize-result",
            Self::OtherResult => "other-result",
            Self::UnknownResultType(_) => "unknown-result-type",
            Self::Error { .. } => "json-rpc-error",
            Self::ForeignReply(_) => "foreign-reply",
            Self::Unreadable => "unreadable",
            Self::NoAnswer => "no-answer",
            Self::OtherJson => "other-json",
            Self::WebPage(_) => "web-page",
            Self::Text => "text",
            Self::Empty => "empty",
            Self::EndpointEvent => "endpoint-event",
            Self::ForeignEndpoint(_) => "foreign-endpoint",
            Self::Silence => "silence",
            Self::Exited => "exited",
            Self::Redirect(_) => "redirect",
            Self::TooLarge(_) => "too-large",
            Self::Unreachable => "unreachable",
        }
    }
}

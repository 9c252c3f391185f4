//! HTTP answers that stand for themselves: a status, and a demand for credentials.

use std::fmt;

use diglot_proto::http::headers::Challenge;
use diglot_proto::jsonrpc::RpcError;
use diglot_proto::lifecycle::Negotiation;

/// An HTTP status that is the answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpError {
    /// The status.
    pub status: u16,
    /// The method of the message that was posted, or `GET`.
    pub method: String,
    /// `Retry-After`, as it came.
    pub retry_after: Option<String>,
    /// `Content-Type`, as it came.
    pub content_type: Option<String>,
    /// The title of the page that came, where one did.
    pub page_title: Option<String>,
    /// The beginning of the body.
    pub excerpt: String,
    /// The JSON-RPC error in the body, where there is one.
    pub rpc: Option<RpcError>,
    /// The negotiation that the status ended.
    pub negotiation: Option<Box<Negotiation>>,
}

impl HttpError {
    /// States the status and the method that was answered with it.
    pub fn new(status: u16, method: impl Into<String>) -> Self {
        Self {
            status,
            method: method.into(),
            retry_after: None,
            content_type: None,
            page_title: None,
            excerpt: String::new(),
            rpc: None,
            negotiation: None,
        }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered {} with HTTP status {}", self.method, self.status)?;
        match self.status {
            404 | 405 => f.write_str("; is the path of the address right?"),
            421 => f.write_str("; it does not serve this host name"),
            429 => f.write_str("; it asks to slow down"),
            500.. => f.write_str("; it, or a gateway before it, is failing"),
            _ => Ok(()),
        }?;
        if let Some(wait) = &self.retry_after {
            write!(f, " (retry after {wait})")?;
        }
        match (&self.rpc, &self.page_title) {
            (Some(rpc), _) => write!(f, ": {rpc}"),
            (None, Some(title)) => write!(f, ": page {title:?}"),
            (None, None) if self.excerpt.is_empty() => Ok(()),
            (None, None) => write!(f, ": {}", Brief(&self.excerpt)),
        }
    }
}

/// A demand for credentials (401), or their refusal (403).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unauthorized {
    /// The status: 401 or 403.
    pub status: u16,
    /// The challenges of `WWW-Authenticate`, in their order.
    pub challenges: Vec<Challenge>,
    /// Whether the request carried credentials that the server did not take.
    pub had_credentials: bool,
    /// The beginning of the body.
    pub excerpt: String,
    /// The negotiation that the demand ended.
    pub negotiation: Option<Box<Negotiation>>,
}

impl Unauthorized {
    /// Returns where the server says its resource metadata is (RFC 9728), if it does.
    pub fn resource_metadata(&self) -> Option<&str> {
        self.challenges.iter().find_map(Challenge::resource_metadata)
    }

    /// Returns the scope that the server asks for, if it says.
    pub fn scope(&self) -> Option<&str> {
        self.challenges.iter().find_map(Challenge::scope)
    }
}

impl fmt::Display for Unauthorized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.had_credentials) {
            (403, _) => f.write_str("the server denies access (HTTP status 403)")?,
            (_, true) => f.write_str("the server does not take these credentials (HTTP status 401)")?,
            (_, false) => f.write_str("the server needs authentication (HTTP status 401)")?,
        }
        match self.challenges.first() {
            Some(challenge) => {
                write!(f, ": {}", challenge.scheme)?;
                if let Some(error) = challenge.error() {
                    write!(f, ", {error}")?;
                }
                if let Some(scope) = challenge.scope() {
                    write!(f, ", scope {scope:?}")?;
                }
                match challenge.resource_metadata() {
                    Some(metadata) => write!(f, ", see {metadata}"),
                    None => Ok(()),
                }
            }
            None if self.status == 401 => {
                f.write_str("; it advertises no scheme, so try a token or key in a header")
            }
            None => Ok(()),
        }
    }
}

/// The first 200 characters of an excerpt, for a message.
pub(super) struct Brief<'a>(pub(super) &'a str);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 200;
        match self.0.char_indices().nth(MOST) {
            Some((at, _)) => write!(f, "{}…", self.0.get(..at).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

//! What comes in over a wire, told as it came.

use diglot_proto::http::headers::Challenge;
use diglot_proto::http::session::SessionLoss;
use diglot_proto::jsonrpc::{Message, Response, Unreadable};

/// Something that came in.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inbound {
    /// A JSON-RPC message; over HTTP, one inside a 2xx answer.
    Message(Message<'static>),
    /// An answer that is meant as JSON-RPC and cannot be read.
    Unreadable(Unreadable),
    /// An answer over the message limit, which is given in bytes.
    TooLarge(usize),
    /// An HTTP answer that is no message: an error status, or a 2xx with another body than MCP's.
    Http(Box<HttpReply>),
    /// Messages that belong here were lost: more of them waited than the limit, or a stream broke off and is there again.
    Missed,
    /// The first event of a stream is `endpoint`: the deprecated HTTP+SSE transport.
    Endpoint(String),
}

/// An HTTP answer that is no plain message.
#[derive(Debug)]
#[non_exhaustive]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// `Content-Type`, as it came.
    pub content_type: Option<String>,
    /// `Retry-After`, as it came.
    pub retry_after: Option<String>,
    /// The challenges of `WWW-Authenticate`.
    pub challenges: Vec<Challenge>,
    /// Whether the request carried credentials.
    pub had_credentials: bool,
    /// Whether the request carried a session id.
    pub had_session: bool,
    /// What in the answer says that the session is gone, where the request carried one and something does.
    pub lost_session: Option<SessionLoss>,
    /// What the body is.
    pub body: ReplyBody,
    /// The beginning of the body, within the excerpt limit and with the request's credentials cut out.
    pub excerpt: String,
}

/// What the body of an HTTP answer is.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplyBody {
    /// A JSON-RPC response.
    Rpc(Box<Response<'static>>),
    /// Meant as a JSON-RPC response, and not readable as such.
    Unreadable(Unreadable),
    /// JSON that is not a JSON-RPC response.
    OtherJson,
    /// An HTML page, with its title.
    WebPage(Option<String>),
    /// Other text or bytes.
    Text,
    /// Nothing.
    Empty,
    /// More than the message limit, which is given in bytes.
    TooLarge(usize),
}

impl HttpReply {
    /// Begins a reply that consists of a status and nothing else.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            retry_after: None,
            challenges: Vec::new(),
            had_credentials: false,
            had_session: false,
            lost_session: None,
            body: ReplyBody::Empty,
            excerpt: String::new(),
        }
    }

    /// Tells whether the status is a success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

//! Breaches of the specification, and endpoints that are no MCP servers.

use std::fmt;

use diglot_proto::jsonrpc::RpcError;
use diglot_proto::lifecycle::Negotiation;

use super::TransportError;
use super::http::Brief;

/// The server broke the specification, or is no MCP server at all.
#[derive(Debug)]
#[non_exhaustive]
pub struct ProtocolError {
    /// What is wrong.
    pub violation: Violation,
    /// The method of the request that was answered so.
    pub method: String,
    /// The HTTP status of the answer, where there was one.
    pub status: Option<u16>,
    /// The beginning of what came.
    pub excerpt: String,
    /// How the wire ended right after, where it did.
    pub closing: Option<Box<TransportError>>,
    /// The negotiation that it ended.
    pub negotiation: Option<Box<Negotiation>>,
}

/// The ways in which an answer is not one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The endpoint answers with a web page.
    WebPage(Option<String>),
    /// The endpoint answers with text, or with JSON that is not JSON-RPC.
    NotJsonRpc,
    /// The answer is meant as JSON-RPC and cannot be read.
    Unreadable(String),
    /// The stream or the body ended without an answer.
    NoAnswer,
    /// The answer belongs to another request.
    ForeignReply,
    /// The result is of a type that the specification does not know.
    UnknownResultType(String),
    /// The result has not the shape that its method demands.
    WrongShape(&'static str),
    /// The answer is larger than the limit, in bytes.
    TooLarge(u64),
    /// The list is longer than a limit: its name, and what it is set to.
    OverLimit(&'static str, usize),
    /// The server gives the same cursor twice, so that the list would never end.
    RepeatedCursor,
    /// The tool cannot be called over HTTP, since an `x-mcp-header` in its input schema breaks a rule: which one.
    UnusableTool(String),
    /// The structured result does not fit the tool's output schema: where and how.
    Unfit(String),
    /// The server finds our request wrong, with a code that only modern servers use.
    Complaint(RpcError),
    /// The server refuses `initialize`.
    InitializeRefused(RpcError),
    /// The HTTP+SSE stream names an endpoint at another origin.
    ForeignEndpoint(String),
}

impl ProtocolError {
    /// States what is wrong with the answer to a method.
    pub fn new(violation: Violation, method: impl Into<String>) -> Self {
        Self {
            violation,
            method: method.into(),
            status: None,
            excerpt: String::new(),
            closing: None,
            negotiation: None,
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = &self.method;
        match &self.violation {
            Violation::WebPage(title) => {
                f.write_str("this is not an MCP endpoint: it answers with a web page")?;
                match title {
                    Some(title) => write!(f, " titled {title:?}"),
                    None => Ok(()),
                }
            }
            Violation::NotJsonRpc => {
                write!(
                    f,
                    "this is not an MCP endpoint: it answers {method} with {:?}",
                    Brief(&self.excerpt).to_string()
                )
            }
            Violation::Unreadable(what) => write!(f, "the answer to {method} cannot be read: {what}"),
            Violation::NoAnswer => write!(f, "the answer to {method} ended before it came"),
            Violation::ForeignReply => write!(f, "the answer to {method} does not carry its id"),
            Violation::UnknownResultType(word) => {
                write!(f, "the answer to {method} has the unknown resultType {word:?}")
            }
            Violation::WrongShape(what) => {
                write!(f, "the answer to {method} is not what the method demands: {what}")
            }
            Violation::TooLarge(limit) => {
                write!(
                    f,
                    "the answer to {method} is larger than the limit of {limit} bytes; raise the message limit if it is wanted"
                )
            }
            Violation::OverLimit(name, limit) => {
                write!(f, "{method} goes on past the limit of {limit} {name}")
            }
            Violation::RepeatedCursor => {
                write!(f, "{method} gives the same cursor twice, so that the list would never end")
            }
            Violation::UnusableTool(reason) => {
                write!(f, "the tool cannot be called over HTTP: {reason}")
            }
            Violation::Unfit(faults) => {
                write!(f, "the result of {method} does not fit the tool's output schema: {faults}")
            }
            Violation::Complaint(error) => write!(f, "the server found {method} wrong: {error}"),
            Violation::InitializeRefused(error) => write!(f, "the server refused initialize: {error}"),
            Violation::ForeignEndpoint(endpoint) => {
                write!(
                    f,
                    "the event stream names the endpoint {endpoint} at another origin, which must not see this client's headers"
                )
            }
        }?;
        match &self.closing {
            Some(closing) => write!(f, "; then {closing}"),
            None => Ok(()),
        }
    }
}

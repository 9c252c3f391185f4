//! How a handler fails: with words for the model, or with an error of the protocol.

use std::fmt;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::types::ToolResult;

/// A failure of a tool, told to the model so that it can act on it.
///
/// Any error turns into one by `?`; its chain of causes becomes the text. A failure of the protocol, such as an unknown
/// resource, is made of an [`RpcError`] by [`protocol`](Self::protocol).
pub struct ToolError {
    kind: Kind,
}

enum Kind {
    /// For the model.
    Told(Box<ToolResult>),
    /// For the client.
    Protocol(Box<RpcError>),
    /// For the client, whose era has its own code for it.
    NoResource(String),
    /// More input was asked for; the retry will find it.
    Suspended,
}

/// What a failed handler means for the answer.
pub(crate) enum Failure {
    Told(Box<ToolResult>),
    Protocol(Box<RpcError>),
    NoResource(String),
    Suspended,
}

impl ToolError {
    /// Makes a failure of a text for the model.
    pub fn new(text: impl Into<String>) -> Self {
        Self::result(ToolResult::failed(text))
    }

    /// Makes a failure of a whole result, with content that is more than text.
    pub fn result(result: ToolResult) -> Self {
        Self { kind: Kind::Told(Box::new(result.is_error(true))) }
    }

    /// Makes a failure of the protocol, which the model does not see.
    pub fn protocol(error: RpcError) -> Self {
        Self { kind: Kind::Protocol(Box::new(error)) }
    }

    /// Makes the failure of parameters that do not fit (`-32602`).
    pub fn invalid_params(what: impl Into<String>) -> Self {
        Self::protocol(RpcError::new(codes::INVALID_PARAMS, what))
    }

    /// Makes the failure of an address that names no resource, as the function behind a template finds out.
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        Self { kind: Kind::NoResource(uri.into()) }
    }

    /// Says that the handler cannot go on before the client has answered.
    pub(crate) fn suspended() -> Self {
        Self { kind: Kind::Suspended }
    }

    pub(crate) fn into_failure(self) -> Failure {
        match self.kind {
            Kind::Told(result) => Failure::Told(result),
            Kind::Protocol(error) => Failure::Protocol(error),
            Kind::NoResource(uri) => Failure::NoResource(uri),
            Kind::Suspended => Failure::Suspended,
        }
    }
}

impl<E: std::error::Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        Self::new(text)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Told(result) => write!(f, "ToolError({:?})", result.text()),
            Kind::Protocol(error) => write!(f, "ToolError({error:?})"),
            Kind::NoResource(uri) => write!(f, "ToolError(no resource {uri:?})"),
            Kind::Suspended => f.write_str("ToolError(waiting for input)"),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Told(result) => f.write_str(&result.text()),
            Kind::Protocol(error) => error.fmt(f),
            Kind::NoResource(uri) => write!(f, "there is no resource {uri}"),
            Kind::Suspended => f.write_str("more input is wanted first"),
        }
    }
}

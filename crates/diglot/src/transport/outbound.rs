//! A message on its way out, with the facts that a wire may have to mirror.

use std::borrow::Cow;

use bytes::Bytes;
use diglot_proto::jsonrpc::{self, Id};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

/// A message to send, and all that a wire needs to know of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outbound {
    /// The message, on one line and without a line end.
    pub bytes: Bytes,
    /// What kind of message it is.
    pub kind: OutboundKind,
    /// Its method; empty for a response.
    pub method: Cow<'static, str>,
    /// The revision that it follows, where one is agreed on or offered; the probe carries the one that it offers.
    pub revision: Option<Revision>,
    /// Whether it is the probe or `initialize`: no session, no legacy version header, and a lenient reading of ids.
    pub is_opening: bool,
    /// What `Mcp-Name` mirrors, for modern requests that have it.
    pub name: Option<String>,
    /// The `Mcp-Param-*` headers, by their whole name; the values are encoded already.
    pub param_headers: Vec<(String, String)>,
    /// Whether dropping the exchange before its end sends `notifications/cancelled`.
    ///
    /// It does in the legacy era and on a pipe; never for the opening requests, and never for modern HTTP, where
    /// closing the stream is the cancellation.
    pub cancels_by_notification: bool,
}

/// The kinds of message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutboundKind {
    /// A request with its id; an answer is awaited.
    Request(Id),
    /// A notification.
    Notification,
    /// A response to a request of the server.
    Response,
}

impl Outbound {
    /// Prepares a request.
    pub fn request(id: Id, method: impl Into<Cow<'static, str>>, params: Option<&RawValue>) -> Self {
        let method = method.into();
        let bytes = jsonrpc::write_request(&id, &method, params);
        Self::new(bytes, OutboundKind::Request(id), method)
    }

    /// Prepares a request that is written already: one JSON-RPC request with this id and method, on one line.
    pub fn written(id: Id, method: Cow<'static, str>, bytes: Vec<u8>) -> Self {
        Self::new(bytes, OutboundKind::Request(id), method)
    }

    /// Prepares a notification.
    pub fn notification(method: impl Into<Cow<'static, str>>, params: Option<&RawValue>) -> Self {
        let method = method.into();
        let bytes = jsonrpc::write_notification(&method, params);
        Self::new(bytes, OutboundKind::Notification, method)
    }

    /// Prepares a response to the server, written already.
    pub fn response(bytes: Vec<u8>) -> Self {
        Self::new(bytes, OutboundKind::Response, Cow::Borrowed(""))
    }

    /// Prepares the notification that withdraws a request.
    pub fn cancellation(id: &Id, revision: Option<Revision>) -> Self {
        let params = format!("{{\"requestId\":{id}}}");
        let params = RawValue::from_string(params).expect("an id prints as JSON");
        Self { revision, ..Self::notification("notifications/cancelled", Some(&params)) }
    }

    fn new(bytes: Vec<u8>, kind: OutboundKind, method: Cow<'static, str>) -> Self {
        Self {
            bytes: bytes.into(),
            kind,
            method,
            revision: None,
            is_opening: false,
            name: None,
            param_headers: Vec::new(),
            cancels_by_notification: false,
        }
    }

    /// Sets the revision that the message follows.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Marks the message as the probe or `initialize`.
    #[must_use]
    pub fn opening(mut self) -> Self {
        self.is_opening = true;
        self
    }

    /// Returns the request's id, unless the message is no request.
    pub fn id(&self) -> Option<&Id> {
        match &self.kind {
            OutboundKind::Request(id) => Some(id),
            OutboundKind::Notification | OutboundKind::Response => None,
        }
    }
}

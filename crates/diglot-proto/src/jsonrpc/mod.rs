//! The JSON-RPC envelope: ids, errors, and the three shapes of a message.
//!
//! [`parse`] is lenient about the envelope and never looks inside `params` and `result`: both stay raw JSON, borrowed
//! from the text where the text needed no repair. The `write_*` functions are strict and write one line each.

pub mod codes;
mod error;
pub(crate) mod escape;
mod id;
mod limits;
mod parse;
pub(crate) mod peek;
mod repair;
pub(crate) mod scan;
mod unreadable;
pub(crate) mod write;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use error::RpcError;
pub use id::{Id, ReplyId};
pub use limits::{MAX_BATCH, MAX_DEPTH};
pub use parse::parse;
pub use scan::recover_id;
pub use unreadable::{Unreadable, UnreadableKind};
pub use write::{flatten, write_error, write_notification, write_request, write_result};

/// Holds what one text carried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Parsed<'a> {
    /// One message.
    One(Message<'a>),
    /// Several messages in an array, at least one and at most [`MAX_BATCH`].
    ///
    /// Batches exist only in revision 2025-03-26; whether to accept one is the caller's business. An element that
    /// cannot be read does not lose the others.
    Batch(Vec<Result<Message<'a>, Unreadable>>),
}

impl Parsed<'_> {
    /// Copies what is borrowed.
    pub fn into_owned(self) -> Parsed<'static> {
        match self {
            Self::One(message) => Parsed::One(message.into_owned()),
            Self::Batch(messages) => {
                Parsed::Batch(messages.into_iter().map(|message| message.map(Message::into_owned)).collect())
            }
        }
    }
}

/// Holds one message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Message<'a> {
    /// A call that expects a response.
    Request(Request<'a>),
    /// A call that expects none.
    Notification(Notification<'a>),
    /// The answer to a request.
    Response(Response<'a>),
}

impl Message<'_> {
    /// Copies what is borrowed.
    pub fn into_owned(self) -> Message<'static> {
        match self {
            Self::Request(request) => Message::Request(request.into_owned()),
            Self::Notification(notification) => Message::Notification(notification.into_owned()),
            Self::Response(response) => Message::Response(response.into_owned()),
        }
    }
}

/// Holds a call that expects a response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The id that the response must carry.
    pub id: Id,
    /// The method, never empty.
    pub method: Cow<'a, str>,
    /// The parameters, whatever their JSON type; `null` reads as absent.
    pub params: Option<Cow<'a, RawValue>>,
    /// Whether the message said `"jsonrpc": "2.0"`.
    ///
    /// [`parse`] accepts a message that does not; a strict server may refuse it.
    pub versioned: bool,
}

impl<'a> Request<'a> {
    /// Makes a request that says `"jsonrpc": "2.0"`.
    pub fn new(id: Id, method: impl Into<Cow<'a, str>>, params: Option<Cow<'a, RawValue>>) -> Self {
        Self { id, method: method.into(), params, versioned: true }
    }

    /// Copies what is borrowed.
    pub fn into_owned(self) -> Request<'static> {
        Request {
            id: self.id,
            method: Cow::Owned(self.method.into_owned()),
            params: owned(self.params),
            versioned: self.versioned,
        }
    }
}

/// Holds a call that expects no response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// The method, never empty.
    pub method: Cow<'a, str>,
    /// The parameters, whatever their JSON type; `null` reads as absent.
    pub params: Option<Cow<'a, RawValue>>,
}

impl<'a> Notification<'a> {
    /// Makes a notification.
    pub fn new(method: impl Into<Cow<'a, str>>, params: Option<Cow<'a, RawValue>>) -> Self {
        Self { method: method.into(), params }
    }

    /// Copies what is borrowed.
    pub fn into_owned(self) -> Notification<'static> {
        Notification { method: Cow::Owned(self.method.into_owned()), params: owned(self.params) }
    }
}

/// Holds the answer to a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response<'a> {
    /// The id as it came back.
    pub id: ReplyId,
    /// The result, or the error where the message had both.
    pub outcome: Result<Cow<'a, RawValue>, RpcError>,
}

impl<'a> Response<'a> {
    /// Makes a response.
    pub fn new(id: ReplyId, outcome: Result<Cow<'a, RawValue>, RpcError>) -> Self {
        Self { id, outcome }
    }

    /// Copies what is borrowed.
    pub fn into_owned(self) -> Response<'static> {
        Response { id: self.id, outcome: self.outcome.map(|result| Cow::Owned(result.into_owned())) }
    }
}

fn owned(raw: Option<Cow<'_, RawValue>>) -> Option<Cow<'static, RawValue>> {
    raw.map(|raw| Cow::Owned(raw.into_owned()))
}

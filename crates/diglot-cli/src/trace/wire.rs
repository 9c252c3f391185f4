//! The messages of a wire, as a trace keeps them.

use diglot::jsonrpc::{self, Message, ReplyId, Request, Response, RpcError};
use diglot::transport::{Inbound, Outbound};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Dir, Trace};
use crate::tap::Tap;

impl Tap for Trace {
    fn sent(&self, outbound: &Outbound) {
        self.message(Dir::Out, &outbound.bytes);
    }

    fn came(&self, inbound: &Inbound) {
        match inbound {
            Inbound::Message(message) => self.message(Dir::In, &written(message)),
            Inbound::Unreadable(unreadable) => {
                self.message(Dir::In, format!("unreadable: {unreadable}").as_bytes());
            }
            Inbound::TooLarge(limit) => {
                self.message(Dir::In, format!("a message over the limit of {limit} bytes").as_bytes());
            }
            // An answer of HTTP is a line of its own.
            _ => {}
        }
    }
}

/// Writes a message that was read, in the form that Diglot gives to its own.
fn written(message: &Message<'_>) -> Vec<u8> {
    match message {
        Message::Request(Request { id, method, params, .. }) => {
            jsonrpc::write_request(id, method, params.as_deref())
        }
        Message::Notification(notification) => {
            jsonrpc::write_notification(&notification.method, notification.params.as_deref())
        }
        Message::Response(response) => answer(response),
        _ => Vec::new(),
    }
}

/// Writes a response with its id as it came.
fn answer<'a>(response: &'a Response<'_>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Fault<'a>>,
    }
    #[derive(Serialize)]
    struct Fault<'a> {
        code: i64,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<&'a RawValue>,
    }
    let fault = |error: &'a RpcError| Fault {
        code: error.code,
        message: &error.message,
        data: error.data.as_deref(),
    };
    let answer = Answer {
        jsonrpc: "2.0",
        id: match &response.id {
            ReplyId::Absent => None,
            id => RawValue::from_string(id.to_string()).ok(),
        },
        result: response.outcome.as_deref().ok(),
        error: response.outcome.as_ref().err().map(fault),
    };
    serde_json::to_vec(&answer).unwrap_or_default()
}

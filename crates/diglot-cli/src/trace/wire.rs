//! A transport that passes everything on and records every message.

use diglot::Limits;
use diglot::error::TransportError;
use diglot::jsonrpc::{self, Message, ReplyId, Request, Response, RpcError};
use diglot::transport::{
    Binding, BoxFuture, Connection, Exchange, ExchangeSource, Inbound, Outbound, Transport,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Dir, Trace};

/// Any transport, recorded where there is a trace.
pub(crate) struct Recorded {
    inner: Box<dyn Transport>,
    trace: Option<Trace>,
}

impl Recorded {
    /// Wraps a transport.
    pub(crate) fn new(inner: Box<dyn Transport>, trace: Option<Trace>) -> Self {
        Self { inner, trace }
    }
}

impl Transport for Recorded {
    fn binding(&self) -> Binding {
        self.inner.binding()
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async {
            let inner = self.inner.open(limits).await?;
            Ok(match &self.trace {
                Some(trace) => Box::new(Recording { inner, trace: trace.clone() }),
                None => inner,
            })
        })
    }

    fn target(&self) -> String {
        self.inner.target()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn reopens(&self) -> bool {
        self.inner.reopens()
    }

    fn is_legacy_only(&self) -> bool {
        self.inner.is_legacy_only()
    }

    fn key(&self) -> Option<String> {
        self.inner.key()
    }

    fn http_sse(&self) -> Option<Box<dyn Transport>> {
        let inner = self.inner.http_sse()?;
        Some(Box::new(Self { inner, trace: self.trace.clone() }))
    }
}

/// An open wire that is recorded.
struct Recording {
    inner: Box<dyn Connection>,
    trace: Trace,
}

impl Connection for Recording {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(async {
            self.trace.message(Dir::Out, &outbound.bytes);
            let inner = self.inner.send(outbound).await?;
            Ok(Exchange::new(Source { inner, trace: self.trace.clone() }))
        })
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(async {
            let inbound = self.inner.unsolicited().await;
            inbound.iter().for_each(|inbound| self.trace.inbound(inbound));
            inbound
        })
    }

    fn attend(&self) -> BoxFuture<'_, Result<bool, TransportError>> {
        self.inner.attend()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }

    fn failure(&self) -> Option<TransportError> {
        self.inner.failure()
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.inner.stderr_tail()
    }
}

/// An exchange that is recorded.
struct Source {
    inner: Exchange,
    trace: Trace,
}

impl ExchangeSource for Source {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
        Box::pin(async {
            let next = self.inner.next().await;
            if let Some(Ok(inbound)) = &next {
                self.trace.inbound(inbound);
            }
            next
        })
    }
}

impl Trace {
    fn inbound(&self, inbound: &Inbound) {
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

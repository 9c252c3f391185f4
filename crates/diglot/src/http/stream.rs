//! An event stream, read as the messages that it carries.

use bytes::Bytes;
use diglot_proto::http::sse::{SseEvent, SseItem, SseReader};
use diglot_proto::jsonrpc::{self, Id, recover_id};

use crate::http::reply::inbound;
use crate::transport::Inbound;

/// Reads messages out of an event stream.
pub(super) struct Events {
    reader: SseReader,
    /// Whether an event has said anything; only the first one can be the endpoint of HTTP+SSE.
    begun: bool,
}

/// What one event says.
#[derive(Debug)]
pub(super) enum Said {
    /// Messages: one, or those of a batch.
    Messages(Vec<Inbound>),
    /// Where messages are to be posted; the first event alone says this.
    Endpoint(String),
    /// More than the limit; its id where it can be made out.
    TooLarge(Option<Id>),
}

impl Events {
    /// Begins a stream whose events may have `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { reader: SseReader::new(limit), begun: false }
    }

    /// Takes the next bytes; [`next`](Self::next) is then to be called until it returns nothing.
    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.reader.push(chunk);
    }

    /// Returns what the next event says that says anything; nothing where more bytes are needed.
    pub(super) fn next(&mut self) -> Option<Said> {
        loop {
            match self.reader.next_event()? {
                SseItem::Event(event) if event.event == "endpoint" && !self.begun => {
                    self.begun = true;
                    return Some(Said::Endpoint(event.data));
                }
                SseItem::Event(event) => {
                    if let Some(said) = message(&event) {
                        self.begun = true;
                        return Some(said);
                    }
                }
                SseItem::TooLong { prefix, .. } => {
                    self.begun = true;
                    return Some(Said::TooLarge(recover_id(prefix.as_bytes())));
                }
                _ => {}
            }
        }
    }
}

/// Reads an event as messages; other kinds of event, and those that merely prime the stream, say nothing.
fn message(event: &SseEvent) -> Option<Said> {
    if event.event != "message" || event.data.trim_ascii().is_empty() {
        return None;
    }
    match jsonrpc::parse(event.data.as_bytes()) {
        Ok(parsed) => Some(Said::Messages(inbound(parsed))),
        Err(unreadable) if unreadable.id.is_some() => {
            Some(Said::Messages(vec![Inbound::Unreadable(unreadable)]))
        }
        Err(unreadable) => {
            tracing::debug!(kind = ?unreadable.kind, "an event is no message");
            None
        }
    }
}

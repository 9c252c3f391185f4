//! An event stream, read as the texts of the messages that it carries.

use bytes::Bytes;
use diglot_proto::http::sse::{SseItem, SseReader};

/// Reads the texts of messages out of an event stream.
pub(super) struct Events {
    reader: SseReader,
    /// Whether an event has said anything; only the first one can be the endpoint of HTTP+SSE.
    begun: bool,
}

/// What one event says.
#[derive(Debug)]
pub(super) enum Said {
    /// The text of a message.
    Message(String),
    /// Where messages are to be posted; the first event alone says this.
    Endpoint(String),
    /// More than the limit: how much, and how it began.
    TooLong(usize, String),
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

    /// Tells whether the end of the stream would cut an event off.
    pub(super) fn is_within_event(&self) -> bool {
        self.reader.is_within_event()
    }

    /// Returns the id to resume after: that of the last event that came whole, unless it is empty.
    pub(super) fn last_event_id(&self) -> Option<&str> {
        self.reader.last_event_id()
    }

    /// Returns how long the stream last asked to wait before reconnecting, in milliseconds.
    pub(super) fn retry_ms(&self) -> Option<u64> {
        self.reader.retry_ms()
    }

    /// Returns what the next event says that says anything; nothing where more bytes are needed.
    ///
    /// Events of other kinds say nothing, nor do those without data, which merely prime the stream.
    pub(super) fn next(&mut self) -> Option<Said> {
        loop {
            let said = match self.reader.next_event()? {
                SseItem::Event(event) if event.event == "endpoint" && !self.begun => {
                    Said::Endpoint(event.data)
                }
                SseItem::Event(event) if event.event == "message" && !event.data.trim_ascii().is_empty() => {
                    Said::Message(event.data)
                }
                SseItem::TooLong { length, prefix } => Said::TooLong(length, prefix),
                _ => continue,
            };
            self.begun = true;
            return Some(said);
        }
    }
}

//! A reader of event streams, as WHATWG HTML interprets `text/event-stream`, byte for byte.
//!
//! Parsing happens on demand: [`SseReader::next_event`] reads no further than the event that it returns, and an event
//! over the limit is counted, not kept.

use std::{fmt, mem};

use crate::lines::{Pending, Span, at_most};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The most bytes of text that are shown of an event over the limit.
const PREFIX_LIMIT: usize = 512;

/// The bytes of data behind such a prefix: the last character may begin one byte before the limit.
const KEPT_DATA: usize = PREFIX_LIMIT + 3;

/// The bytes that are kept of one line in an event over the limit.
const KEPT_LINE: usize = "data: ".len() + KEPT_DATA;

/// The longest event id that is remembered. It is copied into every event that follows, and goes back in a header.
const ID_LIMIT: usize = 4096;

/// Reads the events out of a stream of bytes.
///
/// An event that the end of the stream cuts off is discarded, as the standard demands, by dropping the reader.
///
/// ```
/// use diglot_proto::http::sse::{SseItem, SseReader};
///
/// let mut reader = SseReader::new(1024);
/// reader.push(b": hello\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\"}\n\ndata: cut");
/// let Some(SseItem::Event(event)) = reader.next_event() else { panic!("one event came whole") };
/// assert_eq!((event.event.as_str(), event.data.as_str()), ("message", "{\"jsonrpc\":\"2.0\"}"));
/// assert_eq!(reader.last_event_id(), Some("7"));
/// assert_eq!(reader.next_event(), None);
/// ```
pub struct SseReader {
    limit: usize,
    pending: Pending,
    /// What may stand next in the stream without being part of a line.
    optional: &'static [u8],
    draft: Draft,
    /// The id that the stream has named and no blank line has confirmed.
    next_id: Option<String>,
    last_event_id: String,
    retry_ms: Option<u64>,
    bytes_seen: u64,
}

/// One item of an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseItem {
    /// An event with data.
    Event(SseEvent),
    /// The event was over the limit and most of it is gone.
    TooLong {
        /// How long it was in bytes: the sum of its field lines, without their ends and without comments.
        length: usize,
        /// How its data began: at most 512 bytes.
        prefix: String,
    },
}

/// An event as it was dispatched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseEvent {
    /// The type of the event, `message` where the stream names none.
    pub event: String,
    /// The values of its `data` fields, joined with LF.
    pub data: String,
    /// The last event id at its dispatch, which an earlier event may have set.
    pub id: Option<String>,
}

/// The event under way.
#[derive(Default)]
struct Draft {
    length: usize,
    event: Vec<u8>,
    /// `None` until the first `data` field, which may be empty.
    data: Option<Vec<u8>>,
}

impl SseReader {
    /// Starts at the beginning of a stream whose events may have `limit` bytes.
    ///
    /// An event is counted as the sum of its field lines, without their ends and without comments.
    pub fn new(limit: usize) -> Self {
        SseReader {
            limit,
            pending: Pending::default(),
            optional: BYTE_ORDER_MARK,
            draft: Draft::default(),
            next_id: None,
            last_event_id: String::new(),
            retry_ms: None,
            bytes_seen: 0,
        }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    ///
    /// After each push [`next_event`](Self::next_event) is to be called until it returns `None`. Memory is then bounded
    /// by the limit and the size of one chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes_seen = self.bytes_seen.saturating_add(chunk.len() as u64);
        self.pending.push(chunk);
    }

    /// Returns the next event that has come whole, or `None` when more bytes are needed.
    ///
    /// An event over the limit is reported once, where it ends, even if it has no data.
    pub fn next_event(&mut self) -> Option<SseItem> {
        while let Some(line) = self.next_line() {
            if line.length > 0 {
                self.read_field(line);
            } else if let Some(item) = self.dispatch() {
                return Some(item);
            }
        }
        self.settle();
        None
    }

    /// Tells whether the stream stands in the middle of an event, which its end would cut off.
    ///
    /// It is to be asked when [`next_event`](Self::next_event) has returned `None`.
    pub fn is_within_event(&self) -> bool {
        let rest = self.pending.rest();
        let line = if self.optional.starts_with(rest) { b"" } else { rest };
        self.draft.data.is_some() || !(line.is_empty() || line.starts_with(b":"))
    }

    /// Returns the id to resume after: that of the last event that came whole, unless it is empty.
    ///
    /// An id of more than 4096 bytes is ignored, as is one with a NUL. In an event over the limit, so is one whose line
    /// has more than 521 bytes.
    pub fn last_event_id(&self) -> Option<&str> {
        Some(self.last_event_id.as_str()).filter(|id| !id.is_empty())
    }

    /// Returns how long the stream last asked to wait before reconnecting, in milliseconds.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Returns how many bytes were pushed: a stream of mere comments is alive too.
    pub fn bytes_seen(&self) -> u64 {
        self.bytes_seen
    }

    fn next_line(&mut self) -> Option<Span> {
        if !self.step_over_optional() {
            return None;
        }
        let line = self.pending.take_line(|bytes| memchr::memchr2(b'\r', b'\n', bytes))?;
        // A CR ends the line at once; whether it was half of a CRLF can wait for the next byte.
        if self.pending.byte(line.end) == Some(b'\r') {
            self.optional = b"\n";
        }
        Some(line)
    }

    /// Returns false while nothing has come that is a line for certain.
    fn step_over_optional(&mut self) -> bool {
        let rest = self.pending.rest();
        if self.optional.starts_with(rest) {
            return false;
        }
        if rest.starts_with(self.optional) {
            self.pending.skip(self.optional.len());
        }
        self.optional = b"";
        true
    }

    fn read_field(&mut self, span: Span) {
        let mut line = self.pending.slice(span);
        if line.starts_with(b":") {
            return;
        }
        self.draft.length = self.draft.length.saturating_add(span.length);
        let over = self.draft.length > self.limit;
        if over {
            // As much as `settle` would have left of it, had it come in pieces.
            line = at_most(KEPT_LINE, line);
        }
        let whole = line.len() == span.length;
        let (name, value) = split_field(line);
        match name {
            b"data" => self.draft.add_data(value),
            b"event" => self.draft.event = value.to_vec(),
            b"id" if whole && is_id(value) => self.next_id = Some(decode(value.to_vec())),
            b"retry" if whole && is_number(value) => self.retry_ms = Some(number(value)),
            _ => {}
        }
        if over {
            self.draft.shorten();
        }
    }

    /// Ends the event under way, at a blank line.
    fn dispatch(&mut self) -> Option<SseItem> {
        let draft = mem::take(&mut self.draft);
        if let Some(id) = self.next_id.take() {
            self.last_event_id = id;
        }
        if draft.length > self.limit {
            return Some(SseItem::TooLong { length: draft.length, prefix: draft.into_prefix() });
        }
        let data = decode(draft.data?);
        let event = if draft.event.is_empty() { "message".to_owned() } else { decode(draft.event) };
        Some(SseItem::Event(SseEvent { event, data, id: self.last_event_id().map(str::to_owned) }))
    }

    /// Keeps memory in bounds, when no whole line is left.
    fn settle(&mut self) {
        let length = self.draft.length.saturating_add(self.pending.unfinished());
        if length > self.limit {
            self.pending.shorten(KEPT_LINE);
        }
        self.pending.compact();
    }
}

impl Draft {
    fn add_data(&mut self, value: &[u8]) {
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
        }
    }

    /// Drops all data that the prefix does not need, and keeps room for one more line.
    fn shorten(&mut self) {
        if let Some(data) = &mut self.data {
            data.truncate(KEPT_DATA);
            data.shrink_to(KEPT_DATA + 1 + KEPT_LINE);
        }
    }

    fn into_prefix(self) -> String {
        let mut prefix = decode(self.data.unwrap_or_default());
        prefix.truncate(prefix.floor_char_boundary(PREFIX_LIMIT));
        prefix.shrink_to_fit();
        prefix
    }
}

fn split_field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some((name, value)) = memchr::memchr(b':', line).and_then(|colon| line.split_at_checked(colon))
    else {
        return (line, b"");
    };
    let value = value.strip_prefix(b":").unwrap_or(value);
    (name, value.strip_prefix(b" ").unwrap_or(value))
}

fn is_id(value: &[u8]) -> bool {
    value.len() <= ID_LIMIT && !value.contains(&0)
}

fn is_number(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

fn number(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit & 0x0F)))
}

/// Decodes UTF-8 with U+FFFD for what is not, without a copy where all is well.
///
/// Fields can be decoded one by one because no malformed sequence reaches across an ASCII byte.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

// What a peer sent does not belong in a log by accident.
impl fmt::Debug for SseReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SseReader").field("bytes_seen", &self.bytes_seen).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_over_the_limit_keeps_no_more_than_its_prefix_needs() {
        let mut reader = SseReader::new(2000);
        reader.push(&[b"data: ".as_slice(), &[b'x'; 1900], b"\n"].concat());
        for _ in 0..10_000 {
            reader.push(b"event: some name\ndata: some data\nid: 1\nunknown\n");
            assert_eq!(reader.next_event(), None);
        }
        let data = reader.draft.data.expect("the event has data");
        assert!(data.len() <= KEPT_DATA && data.capacity() <= KEPT_DATA + 1 + KEPT_LINE);
    }

    #[test]
    fn a_never_ending_line_keeps_no_more_than_its_prefix_needs() {
        for name in ["data: ", "id: ", ": ", ""] {
            let mut reader = SseReader::new(2000);
            reader.push(name.as_bytes());
            for _ in 0..1000 {
                reader.push(&[b'x'; 1000]);
                assert_eq!(reader.next_event(), None);
                assert!(reader.pending.rest().len() <= 2000, "{name:?}");
            }
        }
    }
}

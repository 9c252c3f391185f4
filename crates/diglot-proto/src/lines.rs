//! Newline framing: bytes cut anywhere go in, whole lines come out.
//!
//! A line over the limit is counted, not kept: its first bytes and its length are all that remains of it, so a peer
//! decides neither how much memory a reader holds nor whether the lines after it are read.

use std::fmt;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The most bytes that are kept of a line over the limit.
const PREFIX_LIMIT: usize = 512;

/// The most buffer that stays allocated while no long line is under way.
const IDLE_CAPACITY: usize = 64 * 1024;

/// Splits a stream of bytes into lines, as the stdio binding frames its messages.
///
/// Lines end with LF. One CR before it and one UTF-8 byte order mark at the start of a line are not part of the text.
/// Lines with nothing but ASCII whitespace are skipped. What the text says is the reader's caller to judge: it may be
/// neither JSON nor UTF-8.
///
/// ```
/// use diglot_proto::lines::{Line, LineReader};
///
/// let mut reader = LineReader::new(1024);
/// reader.push(b"{\"jsonrpc\":\"2.0\"}\r\n{\"json");
/// assert_eq!(reader.next_line(), Some(Line::Text(b"{\"jsonrpc\":\"2.0\"}")));
/// assert_eq!(reader.next_line(), None);
/// ```
#[derive(Debug)]
pub struct LineReader {
    limit: usize,
    pending: Pending,
}

/// One line of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line<'a> {
    /// The text of the line, never blank.
    Text(&'a [u8]),
    /// The line was over the limit and most of it is gone.
    TooLong {
        /// How long the line was in bytes, all but its LF.
        length: usize,
        /// How it began: at most 512 bytes, enough as a rule to find the id of a message.
        prefix: &'a [u8],
    },
}

impl LineReader {
    /// Starts at the beginning of a stream whose lines may have `limit` bytes.
    ///
    /// A line is counted as it came, all but its LF.
    pub fn new(limit: usize) -> Self {
        LineReader { limit, pending: Pending::default() }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    ///
    /// After each push [`next_line`](Self::next_line) is to be called until it returns `None`. Memory is then bounded
    /// by the limit and the size of one chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.pending.push(chunk);
    }

    /// Returns the next line that has come whole, or `None` when more bytes are needed.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        let span = self.next_span()?;
        Some(self.show(span))
    }

    /// Returns the next line of a stream that has ended, whose last line may lack its LF.
    ///
    /// Returns `None` when nothing is left.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        let span = self.next_span().or_else(|| self.last_span())?;
        Some(self.show(span))
    }

    fn next_span(&mut self) -> Option<Span> {
        while let Some(span) = self.pending.take_line(|bytes| memchr::memchr(b'\n', bytes)) {
            if !self.is_blank(span) {
                return Some(span);
            }
        }
        if self.pending.unfinished() > self.limit {
            self.pending.shorten(PREFIX_LIMIT);
        }
        self.pending.compact();
        None
    }

    fn last_span(&mut self) -> Option<Span> {
        let span = self.pending.take_rest();
        (!self.is_blank(span)).then_some(span)
    }

    /// Tells whether a line says nothing. A line over the limit never counts as blank: too little of it is left to tell.
    fn is_blank(&self, span: Span) -> bool {
        span.length <= self.limit && text_of(self.pending.slice(span)).iter().all(u8::is_ascii_whitespace)
    }

    fn show(&self, span: Span) -> Line<'_> {
        let kept = self.pending.slice(span);
        if span.length > self.limit {
            let prefix = without_byte_order_mark(at_most(PREFIX_LIMIT, kept));
            Line::TooLong { length: span.length, prefix }
        } else {
            Line::Text(text_of(kept))
        }
    }
}

fn text_of(line: &[u8]) -> &[u8] {
    let line = without_byte_order_mark(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

// Some runtimes write the mark at the start of every message, not of the stream.
fn without_byte_order_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Returns the first `limit` bytes, or all where there are fewer.
pub(crate) fn at_most(limit: usize, bytes: &[u8]) -> &[u8] {
    bytes.get(..limit).unwrap_or(bytes)
}

/// The bytes that came and are not yet read as lines; what a line ends with is the reader's to say.
///
/// Every byte is searched once and moved at most once: [`compact`](Self::compact) is for the moment when no whole line
/// is left, where all that remains is the line under way, and that line leaves in one piece.
#[derive(Default)]
pub(crate) struct Pending {
    bytes: Vec<u8>,
    /// Where the line under way begins.
    start: usize,
    /// Up to where no end of that line was found.
    searched: usize,
    /// How much of that line is gone.
    dropped: usize,
}

/// Where a line lies in [`Pending`] until the next push or compaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    start: usize,
    /// The place of the byte that ended the line.
    pub(crate) end: usize,
    /// The length of the line as it came, more than what is left of it once it was shortened.
    pub(crate) length: usize,
}

impl Pending {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
    }

    /// Takes the next line; `find` returns the place of the one byte that ends it.
    pub(crate) fn take_line(&mut self, find: impl FnOnce(&[u8]) -> Option<usize>) -> Option<Span> {
        let unsearched = self.bytes.get(self.searched..).unwrap_or_default();
        let Some(offset) = find(unsearched) else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + offset;
        Some(self.take(end, end + 1))
    }

    /// Takes all that is left as one line.
    fn take_rest(&mut self) -> Span {
        let end = self.bytes.len();
        self.take(end, end)
    }

    fn take(&mut self, end: usize, next: usize) -> Span {
        let span = Span { start: self.start, end, length: self.dropped.saturating_add(end - self.start) };
        self.start = next;
        self.searched = next;
        self.dropped = 0;
        span
    }

    pub(crate) fn slice(&self, span: Span) -> &[u8] {
        self.bytes.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn byte(&self, place: usize) -> Option<u8> {
        self.bytes.get(place).copied()
    }

    /// Returns what is left of the line under way and all after it.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Steps over `count` bytes at the start of a line.
    pub(crate) fn skip(&mut self, count: usize) {
        self.start += count;
        self.searched = self.searched.max(self.start);
    }

    /// Returns the length so far of the line under way, when no whole line is left.
    pub(crate) fn unfinished(&self) -> usize {
        self.dropped.saturating_add(self.rest().len())
    }

    /// Drops all but the first `keep` bytes of the line under way, when no whole line is left.
    pub(crate) fn shorten(&mut self, keep: usize) {
        let excess = self.rest().len().saturating_sub(keep);
        self.dropped = self.dropped.saturating_add(excess);
        self.bytes.truncate(self.bytes.len() - excess);
        self.searched = self.bytes.len();
    }

    /// Gives back the memory of the lines that were read, when no whole line is left.
    pub(crate) fn compact(&mut self) {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.bytes.len() <= IDLE_CAPACITY {
            self.bytes.shrink_to(IDLE_CAPACITY);
        }
    }
}

// What a peer sent does not belong in a log by accident.
impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("unfinished", &self.unfinished()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity_after(limit: usize, chunks: &[&[u8]]) -> usize {
        let mut reader = LineReader::new(limit);
        for chunk in chunks {
            reader.push(chunk);
            while reader.next_line().is_some() {}
        }
        reader.pending.bytes.capacity()
    }

    #[test]
    fn a_never_ending_line_occupies_no_more_than_an_idle_reader() {
        let chunk = vec![b'x'; IDLE_CAPACITY];
        assert!(capacity_after(1000, &vec![&chunk[..]; 1000]) <= IDLE_CAPACITY);
    }

    #[test]
    fn a_long_line_gives_its_memory_back_once_it_was_read() {
        let line = vec![b'x'; 10 * IDLE_CAPACITY];
        assert!(capacity_after(usize::MAX, &[&line]) >= line.len());
        assert!(capacity_after(usize::MAX, &[&line, b"\nnext"]) <= IDLE_CAPACITY);
    }
}

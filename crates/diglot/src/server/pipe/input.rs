//! Reads a pipe in chunks and cuts them into lines.

use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll, ready};

use diglot_proto::lines::LineReader;
use tokio::io::ReadBuf;

use super::streams::Source;

/// How many bytes are read at once.
const CHUNK: usize = 16 * 1024;

/// A stream, and the lines that came whole.
pub(super) struct Input {
    source: Source,
    pub(super) lines: LineReader,
}

impl Input {
    /// Starts at the beginning of a stream whose lines may have `limit` bytes.
    pub(super) fn new(source: Source, limit: usize) -> Self {
        Self { source, lines: LineReader::new(limit) }
    }

    /// Reads once, when no whole line is left, and tells whether the stream goes on.
    pub(super) fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        // On the stack, so that an idle connection holds no buffer.
        let mut space = [MaybeUninit::uninit(); CHUNK];
        let mut chunk = ReadBuf::uninit(&mut space);
        match ready!(self.source.as_mut().poll_read(context, &mut chunk)) {
            Ok(()) => {
                self.lines.push(chunk.filled());
                Poll::Ready(Ok(!chunk.filled().is_empty()))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Poll::Ready(Ok(true)),
            Err(error) if is_departure(error.kind()) => Poll::Ready(Ok(false)),
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

/// Tells whether an error is but the way in which a client that is gone shows itself.
fn is_departure(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

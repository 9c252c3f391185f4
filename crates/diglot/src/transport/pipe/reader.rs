//! Reads a stream in chunks and hands its lines over.

use std::future::pending;
use std::io;
use std::time::Duration;

use diglot_proto::lines::LineReader;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Source, Wire};
use crate::limits::Limits;

/// How many bytes are read at once.
const CHUNK: usize = 32 * 1024;

/// How long a stream that has to end soon may be silent.
const IDLE: Duration = Duration::from_millis(100);

/// How long a stream that has to end soon is read at most.
const DRAIN: Duration = Duration::from_secs(1);

/// A stream of lines, and how far it was read.
pub(in crate::transport) struct Reader {
    /// The stream, until it has ended.
    source: Option<Source>,
    lines: LineReader,
    chunk: Box<[u8]>,
}

/// How one step of reading went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport) enum Step {
    /// The stream goes on.
    More,
    /// The stream has ended.
    End,
}

impl Reader {
    /// Starts at the beginning of a stream.
    pub(in crate::transport) fn new(source: Source, limits: &Limits) -> Self {
        Self {
            source: Some(source),
            lines: LineReader::new(limits.message_bytes),
            chunk: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// Reads once and hands over the lines that came whole; safe to drop at any time.
    ///
    /// After the end it waits for ever.
    pub(in crate::transport) async fn step(&mut self, wire: &Wire) -> io::Result<Step> {
        let Some(source) = &mut self.source else { return pending().await };
        match source.read(&mut self.chunk).await {
            Ok(0) => {
                self.source = None;
                while let Some(line) = self.lines.finish() {
                    wire.take_in(line);
                }
                Ok(Step::End)
            }
            Ok(read) => {
                self.lines.push(self.chunk.get(..read).unwrap_or_default());
                while let Some(line) = self.lines.next_line() {
                    wire.take_in(line);
                }
                Ok(Step::More)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Step::More),
            Err(error) => {
                self.source = None;
                Err(error)
            }
        }
    }

    /// Reads what is still under way, where the stream may or may not end by itself.
    pub(in crate::transport) async fn drain(&mut self, wire: &Wire) {
        if self.source.is_none() {
            return;
        }
        let until_idle = async { while let Ok(Ok(Step::More)) = timeout(IDLE, self.step(wire)).await {} };
        // Whatever comes later than that is lost.
        let _ = timeout_at(Instant::now() + DRAIN, until_idle).await;
    }
}

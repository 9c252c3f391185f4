//! Writes the unsent bytes of a pipe, all that wait in one batch.

use std::io;
use std::task::{Context, Poll, ready};

use super::channel::Channel;
use super::streams::Sink;

/// A stream and the batch that is being written to it.
pub(super) struct Writer {
    sink: Sink,
    batch: Vec<u8>,
    written: usize,
    is_flushed: bool,
}

impl Writer {
    /// Begins with nothing to write.
    pub(super) fn new(sink: Sink) -> Self {
        Self { sink, batch: Vec::new(), written: 0, is_flushed: true }
    }

    /// Writes all that waits and flushes it.
    pub(super) fn poll_written(
        &mut self,
        channel: &Channel,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let rest = self.batch.get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                self.written = 0;
                if !channel.swap_waiting(&mut self.batch) {
                    return self.poll_flushed(context);
                }
                continue;
            }
            self.is_flushed = false;
            let written = ready!(self.sink.as_mut().poll_write(context, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += written;
            channel.sent(written);
        }
    }

    /// Ends the stream.
    pub(super) fn poll_shut_down(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.as_mut().poll_shutdown(context)
    }

    fn poll_flushed(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_flushed {
            ready!(self.sink.as_mut().poll_flush(context))?;
            self.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }
}

//! Serving both eras over one pair of byte streams, one message a line.
//!
//! One task does everything: it reads, runs the handlers in place, and writes what they say in batches, when nothing
//! more is ready. It stops reading while too much is under way or unsent, so that a client cannot make it grow.

mod batch;
mod channel;
mod dialogue;
mod input;
mod outlet;
mod push;
mod streams;
mod tasks;
mod writer;

use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Sleep;

use self::channel::Channel;
use self::dialogue::Dialogue;
use self::input::Input;
pub(super) use self::streams::{Sink, Source, Stop};
use self::writer::Writer;
use crate::server::core::Core;
use crate::server::{ServeError, Server};

/// How many rounds of work one poll does before other tasks of the thread have their turn.
const ROUNDS: usize = 16;

/// How many lines are taken in a round.
const LINES: usize = 64;

/// How many bytes are collected before a batch is written while there is still work.
const BATCH: usize = 64 * 1024;

impl Server {
    /// Serves one client over a pair of byte streams, one message a line, until its input ends.
    ///
    /// Both eras are served on the same pipe, each message by itself. When the input ends, the requests under way
    /// are still answered, for no longer than [`drain_time`](Self::drain_time). Handlers run in the task that awaits
    /// this, so one that blocks holds up all others: `tokio::task::spawn_blocking` is for those.
    ///
    /// # Errors
    ///
    /// The input cannot be read. A client that goes away, or no longer reads, is no error.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with timers.
    pub async fn serve_pipe(
        self,
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
    ) -> Result<(), ServeError> {
        serve(self.core(), Box::pin(reader), Box::pin(writer), Box::pin(pending())).await
    }
}

/// Serves one client until its input ends or `stop` is ready.
pub(super) async fn serve(core: Arc<Core>, source: Source, sink: Sink, stop: Stop) -> Result<(), ServeError> {
    let mut pipe = Pipe::new(core, source, sink, stop);
    poll_fn(|context| pipe.poll(context)).await
}

/// A pipe that is being served.
struct Pipe {
    channel: Arc<Channel>,
    input: Input,
    writer: Writer,
    dialogue: Dialogue,
    phase: Phase,
    core: Arc<Core>,
}

enum Phase {
    /// Messages are read.
    Reading(Stop),
    /// What is under way is finished, until its time is up.
    Draining(Pin<Box<Sleep>>, Option<io::Error>),
}

impl Pipe {
    fn new(core: Arc<Core>, source: Source, sink: Sink, stop: Stop) -> Self {
        let limits = core.settings.pipe;
        let channel = Arc::new(Channel::new(limits.unsent_bytes));
        Self {
            input: Input::new(source, limits.message_bytes),
            writer: Writer::new(sink),
            dialogue: Dialogue::new(core.clone(), channel.clone()),
            channel,
            phase: Phase::Reading(stop),
            core,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ServeError>> {
        self.channel.wakes_up();
        match &mut self.phase {
            Phase::Reading(stop) => {
                if stop.as_mut().poll(context).is_ready() {
                    self.end_input(None, context);
                }
            }
            Phase::Draining(time, _) => {
                if time.as_mut().poll(context).is_ready() {
                    tracing::warn!("requests are left unanswered: the time to finish them is up");
                    return Poll::Ready(self.result());
                }
            }
        }
        for round in 1..=ROUNDS {
            let had_room = self.channel.has_room();
            let advanced = had_room && self.advance(context);
            // A handler that is always ready must not keep what is said from leaving.
            if advanced && round < ROUNDS && self.channel.unsent() < BATCH {
                continue;
            }
            let can_write = match self.writer.poll_written(&self.channel, context) {
                Poll::Ready(Ok(())) => true,
                Poll::Ready(Err(error)) => {
                    tracing::debug!(%error, "the client no longer reads");
                    return Poll::Ready(self.result());
                }
                Poll::Pending => false,
            };
            if can_write && self.dialogue.is_over() {
                // The client may be gone already.
                let _ = ready!(self.writer.poll_shut_down(context));
                return Poll::Ready(self.result());
            }
            let is_done = !advanced && (had_room || !can_write);
            if is_done && self.channel.falls_asleep(context.waker(), can_write) {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Does a round of work, and tells whether there was any.
    fn advance(&mut self, context: &mut Context<'_>) -> bool {
        let mut advanced = self.dialogue.go_on();
        for _ in 0..LINES {
            let Phase::Reading(_) = &self.phase else { break };
            if !self.dialogue.takes_more() || !self.channel.has_room() {
                break;
            }
            if let Some(line) = self.input.lines.next_line() {
                self.dialogue.take(line);
                advanced = true;
                continue;
            }
            match self.input.poll_read(context) {
                Poll::Pending => break,
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(Ok(false)) => {
                    while let Some(line) = self.input.lines.finish() {
                        self.dialogue.take(line);
                    }
                    self.end_input(None, context);
                }
                Poll::Ready(Err(error)) => self.end_input(Some(error), context),
            }
            advanced = true;
        }
        advanced
    }

    fn end_input(&mut self, error: Option<io::Error>, context: &Context<'_>) {
        self.dialogue.end_input();
        let time = tokio::time::sleep(self.core.settings.pipe.drain);
        self.phase = Phase::Draining(Box::pin(time), error);
        // The next poll starts the clock.
        context.waker().wake_by_ref();
    }

    fn result(&mut self) -> Result<(), ServeError> {
        match &mut self.phase {
            Phase::Draining(_, error) => error.take().map_or(Ok(()), |error| Err(ServeError::Read(error))),
            Phase::Reading(_) => Ok(()),
        }
    }
}

//! The bytes that wait to be written: any task adds to them without waiting, one task writes them in batches.
//!
//! A sender may write at once while that task is idle, which saves a hop between threads; it never waits for the
//! stream, and whatever it could not write is left to the task.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use super::Sink;

/// The most buffer that stays allocated between two batches.
const IDLE_CAPACITY: usize = 64 * 1024;

/// The bytes that wait to be written.
pub(super) struct Outbox {
    limit: usize,
    state: Mutex<State>,
    /// The stream, until it fails or is shut down. It is locked before the state, and never while waiting.
    stream: Mutex<Option<Stream>>,
    /// Wakes the writer: there are bytes, or there will be none any more.
    filled: Notify,
    /// Wakes senders that wait for room, and those that wait for the end.
    drained: Notify,
    /// Wakes the one that waits for a failure.
    failed: Notify,
}

struct State {
    waiting: Vec<u8>,
    /// How many bytes wait or are being written.
    unsent: usize,
    phase: Phase,
    failure: Option<io::Error>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Messages are taken.
    Open,
    /// No more are taken, and those that wait are still written.
    Finishing,
    /// Nothing is written any more.
    Closed,
}

impl Outbox {
    /// Begins with nothing; past `limit` waiting bytes, [`room`](Self::room) waits.
    pub(super) fn new(sink: Sink, limit: usize) -> Self {
        let state = State { waiting: Vec::new(), unsent: 0, phase: Phase::Open, failure: None };
        Self {
            limit,
            state: Mutex::new(state),
            stream: Mutex::new(Some(Stream::new(sink))),
            filled: Notify::new(),
            drained: Notify::new(),
            failed: Notify::new(),
        }
    }

    /// Adds a message as a line without waiting, and tells whether it was taken.
    pub(super) fn push(&self, message: &[u8]) -> bool {
        let is_taken = self.add(message);
        if is_taken {
            self.filled.notify_one();
        }
        is_taken
    }

    /// Does as [`push`](Self::push), and writes at once where that is possible.
    pub(super) fn push_now(&self, message: &[u8]) -> bool {
        let is_taken = self.add(message);
        if is_taken && !self.is_written_now() {
            self.filled.notify_one();
        }
        is_taken
    }

    /// Writes what waits if the stream is idle, and tells whether nothing is left to do.
    fn is_written_now(&self) -> bool {
        let Ok(mut stream) = self.stream.try_lock() else { return false };
        // The task that waits for a busy stream must stay the one that the stream wakes.
        if !stream.as_ref().is_some_and(Stream::is_idle) {
            return false;
        }
        match self.poll_written(&mut stream, &mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(())) => true,
            Poll::Ready(Err(error)) => {
                *stream = None;
                drop(stream);
                self.fail(error);
                true
            }
            Poll::Pending => false,
        }
    }

    fn add(&self, message: &[u8]) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return false;
        }
        state.waiting.reserve(message.len() + 1);
        state.waiting.extend_from_slice(message);
        state.waiting.push(b'\n');
        state.unsent += message.len() + 1;
        true
    }

    /// Waits while too many bytes are unsent.
    pub(super) async fn room(&self) {
        self.drained_to(|state| state.unsent <= self.limit || state.phase != Phase::Open).await;
    }

    /// Waits until nothing is written any more.
    pub(super) async fn closed(&self) {
        self.drained_to(|state| state.phase == Phase::Closed).await;
    }

    async fn drained_to(&self, is_reached: impl Fn(&State) -> bool) {
        if is_reached(&self.state()) {
            return;
        }
        loop {
            // Made before the state is looked at, so that no change after the look is missed.
            let drained = self.drained.notified();
            if is_reached(&self.state()) {
                return;
            }
            drained.await;
        }
    }

    /// Waits for a failure to write; it is told once.
    pub(super) async fn failure(&self) -> io::Error {
        loop {
            if let Some(failure) = self.state().failure.take() {
                return failure;
            }
            self.failed.notified().await;
        }
    }

    /// Takes no more messages; those that wait are still written.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        if state.phase == Phase::Open {
            state.phase = Phase::Finishing;
        }
        drop(state);
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Throws away what waits and the stream, and takes no more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.waiting = Vec::new();
        state.unsent = 0;
        drop(state);
        // Exchanges may live on and keep the box, but the server must see the end.
        *self.stream() = None;
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Writes what waits until the box is finished or closed, then shuts the stream down.
    pub(super) async fn write_out(&self) {
        let written = loop {
            if let Err(error) = poll_fn(|context| self.poll_written(&mut self.stream(), context)).await {
                break Err(error);
            }
            if self.is_over() {
                break Ok(());
            }
            self.filled.notified().await;
        };
        let stream = self.stream().take();
        let shut = match (written, stream) {
            (Ok(()), Some(mut stream)) => stream.sink.shutdown().await,
            (written, _) => written,
        };
        match shut {
            Ok(()) => self.close(),
            Err(error) => self.fail(error),
        }
    }

    /// Writes all that waits and flushes it.
    fn poll_written(&self, stream: &mut Option<Stream>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(stream) = stream else { return Poll::Ready(Ok(())) };
        loop {
            if stream.batch_is_written() && !self.refill(stream) {
                return stream.poll_flushed(context);
            }
            let written = ready!(stream.poll_write(context))?;
            self.sent(written);
        }
    }

    /// Swaps the bytes that wait for a written batch, and tells whether there were any.
    fn refill(&self, stream: &mut Stream) -> bool {
        stream.batch.clear();
        stream.batch.shrink_to(IDLE_CAPACITY);
        stream.written = 0;
        std::mem::swap(&mut self.state().waiting, &mut stream.batch);
        !stream.batch.is_empty()
    }

    fn is_over(&self) -> bool {
        let state = self.state();
        state.phase != Phase::Open && state.waiting.is_empty()
    }

    fn fail(&self, error: io::Error) {
        let mut state = self.state();
        if state.phase != Phase::Closed {
            state.failure = Some(error);
        }
        drop(state);
        self.close();
        self.failed.notify_one();
    }

    fn sent(&self, bytes: usize) {
        let mut state = self.state();
        let was_over = state.unsent > self.limit;
        state.unsent = state.unsent.saturating_sub(bytes);
        let has_room = was_over && state.unsent <= self.limit;
        drop(state);
        if has_room {
            self.drained.notify_waiters();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stream(&self) -> MutexGuard<'_, Option<Stream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream and the batch that is being written to it.
struct Stream {
    sink: Sink,
    batch: Vec<u8>,
    written: usize,
    is_flushed: bool,
}

impl Stream {
    fn new(sink: Sink) -> Self {
        Self { sink, batch: Vec::new(), written: 0, is_flushed: true }
    }

    fn is_idle(&self) -> bool {
        self.batch_is_written() && self.is_flushed
    }

    fn batch_is_written(&self) -> bool {
        self.written == self.batch.len()
    }

    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.is_flushed = false;
        let rest = self.batch.get(self.written..).unwrap_or_default();
        let written = ready!(Pin::new(&mut self.sink).poll_write(context, rest))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        self.written += written;
        Poll::Ready(Ok(written))
    }

    fn poll_flushed(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_flushed {
            ready!(Pin::new(&mut self.sink).poll_flush(context))?;
            self.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }
}

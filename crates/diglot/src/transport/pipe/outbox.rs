//! The bytes that wait to be written: any task adds to them without waiting, one task writes them in batches.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use super::Sink;

/// The most buffer that stays allocated between two batches.
const IDLE_CAPACITY: usize = 64 * 1024;

/// The bytes that wait to be written.
pub(super) struct Outbox {
    limit: usize,
    state: Mutex<State>,
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
    pub(super) fn new(limit: usize) -> Self {
        let state = State { waiting: Vec::new(), unsent: 0, phase: Phase::Open, failure: None };
        Self {
            limit,
            state: Mutex::new(state),
            filled: Notify::new(),
            drained: Notify::new(),
            failed: Notify::new(),
        }
    }

    /// Adds a message as a line without waiting, and tells whether it was taken.
    pub(super) fn push(&self, message: &[u8]) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return false;
        }
        state.waiting.reserve(message.len() + 1);
        state.waiting.extend_from_slice(message);
        state.waiting.push(b'\n');
        state.unsent += message.len() + 1;
        drop(state);
        self.filled.notify_one();
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

    /// Throws away what waits, and takes no more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.waiting = Vec::new();
        state.unsent = 0;
        drop(state);
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Writes what waits until the box is finished or closed, then shuts the stream down.
    pub(super) async fn write_out(&self, mut sink: Sink) {
        match self.write_batches(&mut sink).await {
            Ok(()) => self.close(),
            Err(error) => self.fail(error),
        }
    }

    async fn write_batches(&self, sink: &mut Sink) -> io::Result<()> {
        let mut batch = Vec::new();
        while self.take(&mut batch).await {
            let mut rest = batch.as_slice();
            while !rest.is_empty() {
                let written = sink.write(rest).await?;
                if written == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                rest = rest.get(written..).unwrap_or_default();
                self.sent(written);
            }
            sink.flush().await?;
            batch.clear();
            batch.shrink_to(IDLE_CAPACITY);
        }
        sink.shutdown().await
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

    /// Waits for bytes and swaps them for the empty batch; tells false when there will be none any more.
    async fn take(&self, batch: &mut Vec<u8>) -> bool {
        loop {
            {
                let mut state = self.state();
                if !state.waiting.is_empty() {
                    std::mem::swap(&mut state.waiting, batch);
                    return true;
                }
                if state.phase != Phase::Open {
                    return false;
                }
            }
            self.filled.notified().await;
        }
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
}

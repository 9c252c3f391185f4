//! What the one task of a pipe shares with everything that its handlers started: the unsent bytes, and who is awake.
//!
//! Whoever adds something wakes the task if it sleeps; while it runs, nothing is woken, since it looks by itself before
//! it goes to sleep.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// How many times the limit of unsent bytes notifications may fill before they are dropped.
///
/// At the limit itself nothing is read and no handler runs, but what runs beside the handlers can still notify.
const NOTIFICATION_ROOM: usize = 4;

/// The most buffer that stays allocated between two batches.
const IDLE_CAPACITY: usize = 64 * 1024;

/// What a pipe's task and its handlers share.
pub(super) struct Channel {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The lines that wait to be written.
    waiting: Vec<u8>,
    /// How many bytes wait or are being written.
    unsent: usize,
    /// The tasks that may go on, by their index.
    woken: Vec<usize>,
    /// The waker of the pipe's task while it sleeps.
    sleeper: Option<Waker>,
    /// Whether nobody reads answers of the client any more.
    is_deaf: bool,
    /// Whether nothing is sent any more.
    is_closed: bool,
}

impl Channel {
    /// Begins with nothing; at `limit` unsent bytes the pipe stops until some are written.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Adds a message as a line.
    pub(super) fn push(&self, message: &[u8]) {
        self.act(|state| state.add(message));
    }

    /// Adds a notification as a line, unless the client has not read for so long that it must be dropped.
    pub(super) fn notify(&self, message: &[u8]) {
        let most = self.limit.saturating_mul(NOTIFICATION_ROOM);
        let is_taken = self.act(|state| {
            let has_room = state.unsent < most;
            if has_room {
                state.add(message);
            }
            has_room
        });
        if !is_taken {
            tracing::warn!("the client does not read; a notification is dropped");
        }
    }

    /// Notes that a task may go on.
    pub(super) fn woke(&self, index: usize) {
        self.act(|state| state.woken.push(index));
    }

    /// Swaps the tasks that may go on for an empty list.
    pub(super) fn swap_woken(&self, woken: &mut Vec<usize>) {
        woken.clear();
        std::mem::swap(&mut self.state().woken, woken);
    }

    /// Swaps the bytes that wait for a written batch, and tells whether there were any.
    pub(super) fn swap_waiting(&self, batch: &mut Vec<u8>) -> bool {
        batch.clear();
        batch.shrink_to(IDLE_CAPACITY);
        std::mem::swap(&mut self.state().waiting, batch);
        !batch.is_empty()
    }

    /// Notes that bytes were written.
    pub(super) fn sent(&self, bytes: usize) {
        let mut state = self.state();
        state.unsent = state.unsent.saturating_sub(bytes);
    }

    /// Returns how many bytes wait or are being written.
    pub(super) fn unsent(&self) -> usize {
        self.state().unsent
    }

    /// Tells whether more may be produced.
    pub(super) fn has_room(&self) -> bool {
        self.unsent() < self.limit
    }

    /// Notes the task's waker, or tells that there is something to do first.
    ///
    /// `can_write` says whether bytes that wait now could leave at once.
    pub(super) fn falls_asleep(&self, waker: &Waker, can_write: bool) -> bool {
        let mut state = self.state();
        let can_run = !state.woken.is_empty() && state.unsent < self.limit;
        let can_send = can_write && !state.waiting.is_empty();
        if can_run || can_send {
            return false;
        }
        state.sleeper = Some(waker.clone());
        true
    }

    /// Forgets the task's waker, since the task runs.
    pub(super) fn wakes_up(&self) {
        self.state().sleeper = None;
    }

    /// Notes that nothing more is read.
    pub(super) fn end_input(&self) {
        self.state().is_deaf = true;
    }

    /// Tells whether answers of the client can still come.
    pub(super) fn hears(&self) -> bool {
        let state = self.state();
        !state.is_deaf && !state.is_closed
    }

    /// Throws away what waits, and takes no more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        *state = State { is_closed: true, ..State::default() };
    }

    /// Changes the state, and wakes the task if it sleeps.
    fn act<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        if state.is_closed {
            return change(&mut State { is_closed: true, ..State::default() });
        }
        let result = change(&mut state);
        let sleeper = state.sleeper.take();
        drop(state);
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, message: &[u8]) {
        self.waiting.reserve(message.len() + 1);
        self.waiting.extend_from_slice(message);
        self.waiting.push(b'\n');
        self.unsent += message.len() + 1;
    }
}

//! The changes that nobody has taken yet: each once, and within bounds.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::change::{Change, Interruption};
use crate::error::Error;
use crate::limits::Limits;

/// A queue of changes with one reader; a change that waits already is not added again.
pub(super) struct Mailbox {
    most: usize,
    most_bytes: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Change>,
    /// The same changes, to be found.
    known: HashSet<Change>,
    bytes: usize,
    end: End,
}

/// Whether there will be more.
#[derive(Default)]
enum End {
    #[default]
    Open,
    /// The reader has still to be told why.
    Failed(Error),
    Over,
}

impl Mailbox {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.queued_messages.max(1),
            most_bytes: limits.message_bytes,
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Adds a change, unless it waits already; makes room where there is none.
    pub(super) fn push(&self, change: Change) {
        let mut state = self.state();
        if !matches!(state.end, End::Open) || !state.add(change) {
            return;
        }
        let mut dropped = false;
        while state.waiting.len() > self.most || (state.bytes > self.most_bytes && state.waiting.len() > 1) {
            state.take();
            dropped = true;
        }
        if dropped && state.known.insert(Change::Interrupted(Interruption::Overflow)) {
            tracing::warn!("changes at the server wait unread; the oldest are dropped");
            state.waiting.push_front(Change::Interrupted(Interruption::Overflow));
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Takes no more changes; those that wait can still be taken. Only the first end counts.
    pub(super) fn end(&self, error: Option<Error>) {
        let mut state = self.state();
        if matches!(state.end, End::Open) {
            state.end = error.map_or(End::Over, End::Failed);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Tells whether it takes no more changes.
    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.state().end, End::Open)
    }

    /// Waits for the next change, or the failure that ended it all; nothing where there will be none any more.
    ///
    /// It is safe to drop at any time.
    pub(super) async fn next(&self) -> Option<Result<Change, Error>> {
        loop {
            // Made before the state is looked at, so that no change after the look is missed.
            let changed = self.changed.notified();
            {
                let mut state = self.state();
                if let Some(change) = state.take() {
                    return Some(Ok(change));
                }
                match std::mem::replace(&mut state.end, End::Over) {
                    End::Open => state.end = End::Open,
                    End::Failed(error) => return Some(Err(error)),
                    End::Over => return None,
                }
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds a change at the end, and tells whether it was new.
    fn add(&mut self, change: Change) -> bool {
        let is_new = self.known.insert(change.clone());
        if is_new {
            self.bytes += change.weight();
            self.waiting.push_back(change);
        }
        is_new
    }

    /// Takes the oldest change out.
    fn take(&mut self) -> Option<Change> {
        let change = self.waiting.pop_front()?;
        self.known.remove(&change);
        self.bytes -= change.weight();
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(number: usize) -> Change {
        Change::Resource(format!("x:{number}"))
    }

    async fn rest(mailbox: &Mailbox) -> Vec<Change> {
        mailbox.end(None);
        let mut all = Vec::new();
        while let Some(change) = mailbox.next().await {
            all.push(change.unwrap());
        }
        all
    }

    #[tokio::test]
    async fn a_change_that_waits_already_is_told_once() {
        let mailbox = Mailbox::new(&Limits::default());
        for _ in 0..5000 {
            mailbox.push(Change::Tools);
            mailbox.push(resource(1));
        }
        assert_eq!(rest(&mailbox).await, [Change::Tools, resource(1)]);
    }

    #[tokio::test]
    async fn a_change_that_was_taken_is_told_again() {
        let mailbox = Mailbox::new(&Limits::default());
        for _ in 0..3 {
            mailbox.push(Change::Tools);
            assert_eq!(mailbox.next().await.unwrap().unwrap(), Change::Tools);
        }
    }

    #[tokio::test]
    async fn past_the_limit_the_oldest_go_and_the_reader_is_told_first() {
        let mailbox = Mailbox::new(&Limits::default().queued_messages(3));
        (0..10).for_each(|number| mailbox.push(resource(number)));
        let all = rest(&mailbox).await;
        assert_eq!(all[0], Change::Interrupted(Interruption::Overflow));
        assert_eq!(all.last(), Some(&resource(9)));
        assert!(all.len() <= 4, "{all:?}");
    }

    #[tokio::test]
    async fn memory_is_bounded_too() {
        let mailbox = Mailbox::new(&Limits::default().message_bytes(100));
        (0..10).for_each(|number| mailbox.push(Change::Resource(number.to_string().repeat(40))));
        let all = rest(&mailbox).await;
        assert_eq!(all[0], Change::Interrupted(Interruption::Overflow));
        assert_eq!(all.len(), 3);
    }

    #[tokio::test]
    async fn a_failure_is_told_once_after_what_came_before_it() {
        let mailbox = Mailbox::new(&Limits::default());
        mailbox.push(Change::Tools);
        mailbox.end(Some(Error::Closed));
        mailbox.end(None);
        mailbox.push(Change::Prompts);
        assert_eq!(mailbox.next().await.unwrap().unwrap(), Change::Tools);
        assert!(matches!(mailbox.next().await, Some(Err(Error::Closed))));
        assert!(mailbox.next().await.is_none());
        assert!(mailbox.next().await.is_none());
    }
}

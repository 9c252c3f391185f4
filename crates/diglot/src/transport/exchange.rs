//! One request and all that is said about it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::TransportError;
use crate::transport::{BoxFuture, Inbound};

/// One request: the notifications about it, then its answer. Dropping it early cancels the request.
pub struct Exchange {
    // Never locked: it makes an exchange `Sync` without asking that of every source.
    source: Mutex<Box<dyn ExchangeSource>>,
}

/// Where the messages of an exchange come from: what a transport of one's own implements.
pub trait ExchangeSource: Send {
    /// Waits for the next thing that came about the request; nothing where the exchange ended without more.
    ///
    /// The future must be safe to drop between two messages without losing one.
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>>;
}

impl Exchange {
    /// Makes an exchange of a transport's source.
    pub fn new(source: impl ExchangeSource + 'static) -> Self {
        Self { source: Mutex::new(Box::new(source)) }
    }

    /// Makes an exchange that has ended: a message was delivered that nothing answers.
    pub fn delivered() -> Self {
        Self::of(None)
    }

    /// Makes an exchange that consists of one thing, come already.
    pub fn of(inbound: Option<Inbound>) -> Self {
        struct Ready(Option<Inbound>);
        impl ExchangeSource for Ready {
            fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
                let inbound = self.0.take();
                Box::pin(async move { inbound.map(Ok) })
            }
        }
        Self::new(Ready(inbound))
    }

    /// Waits for the next thing that came about the request; nothing where the exchange ended without more.
    pub async fn next(&mut self) -> Option<Result<Inbound, TransportError>> {
        self.source.get_mut().unwrap_or_else(PoisonError::into_inner).next().await
    }
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Exchange")
    }
}

/// A place where a shared wire's reader leaves what came for one exchange, and where one caller waits for it.
///
/// An exchange whose only message is its answer allocates nothing for it, unlike with a channel.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<SlotState>,
}

#[derive(Debug, Default)]
struct SlotState {
    /// The oldest thing that waits, where no later one came before it was taken.
    first: Option<Inbound>,
    /// What came after it, or after it was taken.
    later: VecDeque<Inbound>,
    /// Whether the reader has still to be told that something was dropped.
    has_missed: bool,
    ended: Option<Option<TransportError>>,
    reader: Option<Waker>,
}

impl Slot {
    /// Makes an empty place.
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Leaves an inbound thing; with `limit` waiting, the new one is dropped unless it `must` stay.
    pub(crate) fn put(&self, inbound: Inbound, limit: usize, must: bool) {
        self.change(|state| match must || state.waiting() < limit {
            true => state.push(inbound),
            false => state.has_missed = true,
        });
    }

    /// Leaves the last thing of the exchange, and ends it.
    pub(crate) fn finish(&self, answer: Inbound) {
        self.change(|state| {
            state.push(answer);
            state.ended.get_or_insert(None);
        });
    }

    /// Ends the exchange, cleanly or by a failure; what came before it can still be taken.
    pub(crate) fn end(&self, error: Option<TransportError>) {
        self.change(|state| {
            state.ended.get_or_insert(error);
        });
    }

    /// Waits for the next thing; safe to drop at any time.
    pub(crate) async fn take(&self) -> Option<Result<Inbound, TransportError>> {
        poll_fn(|context| self.state().poll(context)).await
    }

    fn change(&self, change: impl FnOnce(&mut SlotState)) {
        let mut state = self.state();
        change(&mut state);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotState {
    fn waiting(&self) -> usize {
        self.later.len() + usize::from(self.first.is_some())
    }

    fn push(&mut self, inbound: Inbound) {
        match self.waiting() {
            0 => self.first = Some(inbound),
            _ => self.later.push_back(inbound),
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Inbound, TransportError>>> {
        if let Some(inbound) = self.first.take().or_else(|| self.later.pop_front()) {
            return Poll::Ready(Some(Ok(inbound)));
        }
        // What was dropped came after all that waited then.
        if self.ended.is_none() && std::mem::take(&mut self.has_missed) {
            return Poll::Ready(Some(Ok(Inbound::Missed)));
        }
        if let Some(end) = &mut self.ended {
            return Poll::Ready(end.take().map(Err));
        }
        match &mut self.reader {
            Some(reader) => reader.clone_from(context.waker()),
            None => self.reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

//! One request and all that is said about it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

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

/// A place where a shared wire's reader leaves what came for one exchange.
///
/// It allocates nothing until something comes, unlike a channel.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<SlotState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct SlotState {
    arrived: VecDeque<Inbound>,
    ended: Option<Option<TransportError>>,
}

impl Slot {
    /// Makes an empty place.
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves an inbound thing; with more than `limit` waiting, the new one is dropped unless it `must` stay.
    pub(crate) fn put(&self, inbound: Inbound, limit: usize, must: bool) {
        let mut state = self.state();
        if must || state.arrived.len() < limit {
            state.arrived.push_back(inbound);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ends the exchange, cleanly or by a failure; what came before it can still be taken.
    pub(crate) fn end(&self, error: Option<TransportError>) {
        let mut state = self.state();
        state.ended.get_or_insert(error);
        drop(state);
        self.changed.notify_one();
    }

    /// Waits for the next thing; safe to drop at any time.
    pub(crate) async fn take(&self) -> Option<Result<Inbound, TransportError>> {
        loop {
            {
                let mut state = self.state();
                if let Some(inbound) = state.arrived.pop_front() {
                    return Some(Ok(inbound));
                }
                if let Some(end) = &mut state.ended {
                    return end.take().map(Err);
                }
            }
            self.changed.notified().await;
        }
    }
}

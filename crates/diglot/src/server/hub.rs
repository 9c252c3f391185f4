//! Changes, and those who want to hear of them.
//!
//! One hub serves the subscriptions of both eras. A subscriber that does not keep up is closed with a reason; what
//! waits for it is never more than a limit, and the same change never waits twice.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The contents of one resource.
    Resource(Arc<str>),
}

/// Carries changes between processes that serve the same endpoint.
///
/// A change that one process publishes reaches the subscribers of all. Without a feed, a server's changes reach its
/// own subscribers.
pub trait ChangeFeed: Send + Sync + 'static {
    /// Tells every process, this one too, of a change.
    fn publish(&self, change: Change);

    /// Calls a function with every change that any process publishes.
    fn listen(&self, listener: Box<dyn Fn(Change) + Send + Sync>);
}

/// What a subscriber wants to hear of.
pub(crate) type Filter = Box<dyn Fn(&Change) -> bool + Send + Sync>;

/// All subscribers of a server.
#[derive(Default)]
pub(crate) struct Hub {
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
    feed: Mutex<Option<Arc<dyn ChangeFeed>>>,
}

/// One who wants to hear of changes.
pub(crate) struct Subscriber {
    wants: Filter,
    limit: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Change>,
    end: Option<End>,
}

/// Why a subscription ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The server shuts down.
    Shutdown,
    /// More changes waited than the limit allows.
    TooSlow,
}

impl Hub {
    /// Puts a feed between the changes of this server and its subscribers.
    pub(crate) fn connect(self: &Arc<Self>, feed: Arc<dyn ChangeFeed>) {
        let hub = Arc::downgrade(self);
        feed.listen(Box::new(move |change| {
            if let Some(hub) = hub.upgrade() {
                hub.deliver(&change);
            }
        }));
        *self.feed.lock().unwrap_or_else(PoisonError::into_inner) = Some(feed);
    }

    /// Tells of a change.
    pub(crate) fn publish(&self, change: Change) {
        let feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match feed {
            Some(feed) => feed.publish(change),
            None => self.deliver(&change),
        }
    }

    /// Adds a subscriber, who stays until the last reference to it is dropped.
    pub(crate) fn subscribe(&self, wants: Filter, limit: usize) -> Arc<Subscriber> {
        let subscriber =
            Arc::new(Subscriber { wants, limit, state: Mutex::default(), changed: Notify::new() });
        let mut subscribers = self.subscribers();
        subscribers.push(Arc::downgrade(&subscriber));
        subscriber
    }

    /// Ends every subscription in good order.
    pub(crate) fn shut_down(&self) {
        for subscriber in self.subscribers().drain(..).filter_map(|subscriber| subscriber.upgrade()) {
            subscriber.end(End::Shutdown);
        }
    }

    fn deliver(&self, change: &Change) {
        // Who is gone is swept out on the way.
        self.subscribers().retain(|subscriber| match subscriber.upgrade() {
            Some(subscriber) => {
                subscriber.offer(change);
                true
            }
            None => false,
        });
    }

    fn subscribers(&self) -> MutexGuard<'_, Vec<Weak<Subscriber>>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber {
    /// Waits for the next change, or for the end.
    pub(crate) async fn next(&self) -> Result<Change, End> {
        loop {
            // Begun before the look at the state, it misses nothing that happens after.
            let changed = self.changed.notified();
            {
                let mut state = self.state();
                if let Some(change) = state.waiting.pop_front() {
                    return Ok(change);
                }
                if let Some(end) = state.end {
                    return Err(end);
                }
            }
            changed.await;
        }
    }

    fn offer(&self, change: &Change) {
        if !(self.wants)(change) {
            return;
        }
        let mut state = self.state();
        if state.end.is_some() || state.waiting.contains(change) {
            return;
        }
        match state.waiting.len() < self.limit {
            true => state.waiting.push_back(change.clone()),
            false => {
                state.waiting.clear();
                state.end = Some(End::TooSlow);
            }
        }
        drop(state);
        // One of several who wait may never go on, so that all are told.
        self.changed.notify_waiters();
    }

    fn end(&self, end: End) {
        self.state().end.get_or_insert(end);
        self.changed.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Filter {
        Box::new(|_| true)
    }

    #[tokio::test]
    async fn the_same_change_never_waits_twice() {
        let hub = Hub::default();
        let subscriber = hub.subscribe(all(), 8);
        for _ in 0..100 {
            hub.publish(Change::Tools);
        }
        hub.publish(Change::Prompts);
        hub.shut_down();
        assert_eq!(subscriber.next().await, Ok(Change::Tools));
        assert_eq!(subscriber.next().await, Ok(Change::Prompts));
        assert_eq!(subscriber.next().await, Err(End::Shutdown));
    }

    #[tokio::test]
    async fn a_slow_subscriber_is_ended_and_not_buffered() {
        let hub = Hub::default();
        let subscriber = hub.subscribe(all(), 3);
        for number in 0..10 {
            hub.publish(Change::Resource(format!("r://{number}").into()));
        }
        assert_eq!(subscriber.next().await, Err(End::TooSlow));
    }

    #[tokio::test]
    async fn who_does_not_want_a_change_does_not_hear_of_it() {
        let hub = Hub::default();
        let subscriber = hub.subscribe(Box::new(|change| *change == Change::Prompts), 3);
        hub.publish(Change::Tools);
        hub.publish(Change::Prompts);
        assert_eq!(subscriber.next().await, Ok(Change::Prompts));
    }
}

//! Everybody who listens on one client, and who of them a notification concerns.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use diglot_proto::jsonrpc::{Id, Notification, ReplyId};
use diglot_proto::meta;
use diglot_proto::object::Object;
use diglot_proto::types::SubscriptionFilter;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::change::{Change, Interruption};
use super::mailbox::Mailbox;
use crate::limits::Limits;

/// Everybody who listens on one client.
#[derive(Default)]
pub(crate) struct Listens {
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
    /// Whether the client was closed.
    closed: watch::Sender<bool>,
}

/// One subscription, as far as those who read wires know it.
pub(super) struct Subscriber {
    pub(super) mailbox: Mailbox,
    pub(super) wanted: SubscriptionFilter,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    acknowledged: SubscriptionFilter,
    source: Source,
}

/// Which notifications can be meant for a subscriber.
#[derive(Default)]
pub(super) enum Source {
    /// None: it is not set up.
    #[default]
    None,
    /// In the modern era: those that name this request, and those of careless servers that name none.
    Request(Id),
    /// In the legacy era: all of them.
    Session,
}

impl Listens {
    /// Adds one who listens, for as long as it lives.
    pub(super) fn add(&self, wanted: SubscriptionFilter, limits: &Limits) -> Arc<Subscriber> {
        let subscriber =
            Arc::new(Subscriber { mailbox: Mailbox::new(limits), wanted, state: Mutex::default() });
        let mut subscribers = self.lock();
        subscribers.retain(|subscriber| subscriber.strong_count() > 0);
        subscribers.push(Arc::downgrade(&subscriber));
        subscriber
    }

    /// Hands a notification on to those whom it concerns.
    pub(crate) fn observe(&self, notification: &Notification<'_>) {
        let subscribers = self.subscribers();
        if subscribers.is_empty() {
            return;
        }
        let params = notification.params.as_deref();
        if notification.method == "notifications/cancelled" {
            let ended = params.and_then(cancelled);
            subscribers
                .iter()
                .filter(|own| own.is_fed_by(ended.as_ref()))
                .for_each(|own| own.mailbox.end(None));
            return;
        }
        let Some(change) = Change::of(notification) else { return };
        let id = params.and_then(meta::subscription_id);
        // A resource that nobody asked for by its own name is below one that somebody asked for.
        let is_named = subscribers.iter().any(|own| own.names(&change));
        for own in subscribers {
            if own.hears(&change, id.as_ref(), is_named) {
                own.mailbox.push(change.clone());
            }
        }
    }

    /// Tells all who listen in the legacy era that something may have been missed.
    pub(crate) fn miss(&self) {
        for own in self.subscribers() {
            if matches!(own.state().source, Source::Session) {
                own.mailbox.push(Change::Interrupted(Interruption::StreamLost));
            }
        }
    }

    /// Ends every subscription, because the client is closed.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Waits until the client is closed.
    pub(super) async fn closed(&self) {
        // The sender lives as long as this does, so there is no other end to it.
        drop(self.closed.subscribe().wait_for(|closed| *closed).await);
    }

    fn subscribers(&self) -> Vec<Arc<Subscriber>> {
        self.lock().iter().filter_map(Weak::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Subscriber>>> {
        // Nothing in here panics while it holds the lock.
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Listens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listens({})", self.lock().len())
    }
}

/// Returns the request that a server ends.
fn cancelled(params: &RawValue) -> Option<ReplyId> {
    Object::read(params)?.member("requestId").map(|id| ReplyId::read(Some(id)))
}

impl Subscriber {
    /// Says which notifications can be meant for it from now on.
    pub(super) fn feed(&self, source: Source) {
        self.state().source = source;
    }

    /// Notes what the server grants.
    pub(super) fn acknowledge(&self, granted: SubscriptionFilter) {
        self.state().acknowledged = granted;
    }

    pub(super) fn acknowledged(&self) -> SubscriptionFilter {
        self.state().acknowledged.clone()
    }

    /// Tells whether a change is meant for it.
    fn hears(&self, change: &Change, id: Option<&ReplyId>, is_named: bool) -> bool {
        let is_meant = match &self.state().source {
            Source::None => false,
            Source::Request(own) => id.is_none_or(|id| id.matches(own)),
            Source::Session => match change {
                Change::Resource(uri) if is_named => self.wanted.resource_subscriptions.contains(uri),
                _ => true,
            },
        };
        is_meant && change.is_wanted(&self.wanted)
    }

    /// Tells whether it asked, in the legacy era, for this very resource.
    fn names(&self, change: &Change) -> bool {
        let Change::Resource(uri) = change else { return false };
        matches!(self.state().source, Source::Session) && self.wanted.resource_subscriptions.contains(uri)
    }

    /// Tells whether it is fed by a request of the modern era.
    fn is_fed_by(&self, request: Option<&ReplyId>) -> bool {
        match (&self.state().source, request) {
            (Source::Request(own), Some(request)) => request.matches(own),
            _ => false,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

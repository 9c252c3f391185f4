//! What goes on in one connection, as the listener and the connection itself see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many requests a connection has had and has under way.
#[derive(Default)]
pub(super) struct Activity {
    begun: AtomicUsize,
    under_way: AtomicUsize,
    dismissed: Notify,
}

impl Activity {
    /// Begins a request, which is under way until what is returned is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.under_way.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// Returns how many requests there were.
    pub(super) fn count(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Tells whether there was no request yet.
    pub(super) fn is_new(&self) -> bool {
        self.count() == 0
    }

    /// Tells whether a request is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// Asks the connection to end.
    pub(super) fn dismiss(&self) {
        self.dismissed.notify_one();
    }

    /// Waits until the connection is asked to end.
    pub(super) async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

/// Lasts as long as a request is under way.
pub(super) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

//! Who is told of every notification of the server, whichever way it comes.

use std::fmt;
use std::sync::Arc;

use diglot_proto::jsonrpc::Notification;

/// A function that is told of a notification; it must return quickly, and may not wait.
type Observer = dyn Fn(&Notification<'_>) + Send + Sync;

/// Those who are told of every notification of the server.
#[derive(Clone, Default)]
pub(super) struct Observers(Vec<Arc<Observer>>);

impl Observers {
    /// Adds somebody to tell.
    pub(super) fn add(&mut self, observer: impl Fn(&Notification<'_>) + Send + Sync + 'static) {
        self.0.push(Arc::new(observer));
    }

    /// Tells everybody.
    pub(super) fn tell(&self, notification: &Notification<'_>) {
        tracing::debug!(method = %notification.method, "notification");
        for observer in &self.0 {
            observer(notification);
        }
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Observers({})", self.0.len())
    }
}

//! The resources that a legacy session was asked to tell of: each once, however many listen to it here.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use tokio::sync::{Mutex, MutexGuard};

use crate::client::wire::Live;

/// The resources that sessions were asked for, by their URIs.
#[derive(Default)]
pub(crate) struct Subscribed(Mutex<HashMap<String, Resource>>);

/// One of them.
#[derive(Default)]
pub(super) struct Resource {
    pub(super) listeners: usize,
    /// The session that was asked last.
    pub(super) session: Weak<Live>,
}

impl Subscribed {
    /// Holds up everybody else who subscribes or ends it, so that a server hears of both in their order.
    pub(super) async fn lock(&self) -> MutexGuard<'_, HashMap<String, Resource>> {
        self.0.lock().await
    }
}

impl Resource {
    /// Tells whether it was this session that was asked last.
    pub(super) fn is_told(&self, live: &Arc<Live>) -> bool {
        std::ptr::eq(self.session.as_ptr(), Arc::as_ptr(live))
    }
}

impl fmt::Debug for Subscribed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscribed")
    }
}

//! Cancels a task when nobody waits for it any more.

use std::sync::Arc;

use crate::client::live::Inner;
use crate::client::task::chosen::OnDrop;
use crate::client::task::wire;

/// Cancels a task when it is dropped, unless it is over.
pub(super) struct Leaving {
    inner: Arc<Inner>,
    id: String,
    cancels: bool,
}

impl Leaving {
    pub(super) fn new(inner: Arc<Inner>, id: String, on_drop: OnDrop) -> Self {
        Self { inner, id, cancels: on_drop == OnDrop::Cancel }
    }

    /// Says that there is nothing left to cancel.
    pub(super) fn settle(mut self) {
        self.cancels = false;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if !self.cancels {
            return;
        }
        let (inner, id) = (self.inner.clone(), std::mem::take(&mut self.id));
        // Without a runtime the connection is gone too.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = wire::cancel(&inner, &id).await {
                    tracing::debug!(%error, "a task that nobody waits for is not cancelled");
                }
            });
        }
    }
}

//! The withdrawal of a request whose exchange was dropped, where closing its connection does not say it.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::jsonrpc::Id;
use diglot_proto::version::Revision;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::transport::{BoxFuture, Outbound};

/// How long the delivery of a cancellation may take.
const LONGEST: Duration = Duration::from_secs(2);

/// Delivers messages that nobody waits for.
pub(super) trait Courier: Send + Sync + 'static {
    /// Posts a message and forgets what comes back.
    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, ()>;
}

/// Posts `notifications/cancelled` when it is dropped, unless it was disarmed.
#[derive(Default)]
pub(super) struct Cancellation {
    armed: Option<(Arc<dyn Courier>, Id, Option<Revision>)>,
}

impl Cancellation {
    /// Prepares the withdrawal of a request, if it is withdrawn so at all.
    pub(super) fn of(outbound: &Outbound, courier: Arc<dyn Courier>) -> Self {
        let id = outbound.id().filter(|_| outbound.cancels_by_notification).cloned();
        Self { armed: id.map(|id| (courier, id, outbound.revision)) }
    }

    /// Makes it do nothing: the request came to its end.
    pub(super) fn disarm(&mut self) {
        self.armed = None;
    }
}

impl Drop for Cancellation {
    fn drop(&mut self) {
        let Some((courier, id, revision)) = self.armed.take() else { return };
        // Without a runtime nothing can be sent any more.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(timeout(LONGEST, async move {
            courier.deliver(Outbound::cancellation(&id, revision)).await;
        }));
    }
}

//! The place of a task in the context of a call: empty, wanted by the handler, or taken.

use std::sync::Arc;

use diglot_proto::jsonrpc::RpcError;
use tokio::sync::watch;

use crate::server::task::live::Live;

/// Where the task of a call appears, if it becomes one.
pub(crate) struct Seat(watch::Sender<Place>);

#[derive(Clone)]
enum Place {
    /// The call does not become a task.
    None,
    /// It may become one, if the handler says so.
    Free,
    /// The handler says so.
    Wanted,
    /// It is one.
    Taken(Arc<Live>),
    /// It cannot become one.
    Refused(Box<RpcError>),
}

impl Default for Seat {
    fn default() -> Self {
        Self(watch::Sender::new(Place::None))
    }
}

impl Seat {
    /// Returns the task that the call has become.
    pub(crate) fn task(&self) -> Option<Arc<Live>> {
        match &*self.0.borrow() {
            Place::Taken(live) => Some(live.clone()),
            _ => None,
        }
    }

    /// Lets the handler say when the task begins.
    pub(super) fn offer(&self) {
        self.0.send_replace(Place::Free);
    }

    /// Makes the call a task.
    pub(super) fn take(&self, live: Arc<Live>) {
        self.0.send_replace(Place::Taken(live));
    }

    /// Says that there can be no task.
    pub(super) fn refuse(&self, error: RpcError) {
        self.0.send_replace(Place::Refused(Box::new(error)));
    }

    /// Waits until the handler wants a task.
    pub(super) async fn wanted(&self) {
        // The sender is here, so that it cannot be gone.
        let _ = self.0.subscribe().wait_for(|place| matches!(place, Place::Wanted)).await;
    }

    /// Asks for the task, and waits for it; where none is on offer, all stays as it is.
    pub(crate) async fn ask(&self) -> Result<(), RpcError> {
        self.0.send_if_modified(|place| {
            let is_free = matches!(place, Place::Free);
            if is_free {
                *place = Place::Wanted;
            }
            is_free
        });
        let mut places = self.0.subscribe();
        match places.wait_for(|place| !matches!(place, Place::Free | Place::Wanted)).await.as_deref() {
            Ok(Place::Refused(error)) => Err((**error).clone()),
            _ => Ok(()),
        }
    }
}

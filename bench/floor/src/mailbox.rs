//! The body of a stream that stays open: one slot, which a change fills.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body, Frame};

/// Everyone who listens.
static LISTENERS: Mutex<Vec<Arc<Slot>>> = Mutex::new(Vec::new());

#[derive(Default)]
struct Slot(Mutex<(Option<Bytes>, Option<Waker>)>);

/// A body that carries one event and then each change.
pub struct Mailbox(Arc<Slot>);

/// Puts an event into every open stream.
pub fn publish(event: Bytes) {
    for slot in listeners().iter() {
        let mut held = slot.held();
        held.0 = Some(event.clone());
        if let Some(waker) = held.1.take() {
            waker.wake();
        }
    }
}

/// Returns how many streams are open.
pub fn subscribers() -> usize {
    listeners().len()
}

impl Mailbox {
    /// Opens a stream with its first event.
    pub fn open(first: Bytes) -> Self {
        let slot = Arc::new(Slot(Mutex::new((Some(first), None))));
        listeners().push(slot.clone());
        Self(slot)
    }
}

impl Slot {
    fn held(&self) -> MutexGuard<'_, (Option<Bytes>, Option<Waker>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listeners() -> MutexGuard<'static, Vec<Arc<Slot>>> {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Body for Mailbox {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut held = self.0.held();
        match held.0.take() {
            Some(event) => Poll::Ready(Some(Ok(Frame::data(event)))),
            None => {
                held.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        listeners().retain(|slot| !Arc::ptr_eq(slot, &self.0));
    }
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mailbox")
    }
}

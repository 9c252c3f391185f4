//! What a client knows of the losses of its connection.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::client::tries::Tries;
use crate::error::{LossCause, Reopening};

/// What a client knows of the losses of its connection.
#[derive(Default)]
pub(super) struct Recovery {
    /// Held by the one task that opens anew.
    pub(super) turn: Arc<tokio::sync::Mutex<Turn>>,
    /// How many losses have been dealt with, well or not.
    pub(super) incidents: AtomicU64,
    /// What ended the wire before the present one.
    last_cause: Mutex<Option<LossCause>>,
    /// Whether the client was closed.
    pub(super) stopped: watch::Sender<bool>,
}

#[derive(Default)]
pub(super) struct Turn {
    pub(super) tries: Tries,
    /// What became of the last loss.
    pub(super) last: Option<Reopening>,
}

impl Recovery {
    /// Opens nothing anew from now on.
    pub(super) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Returns what ended the wire before the present one.
    pub(super) fn last_cause(&self) -> Option<LossCause> {
        self.last_cause.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(LossCause::again)
    }

    /// Notes what ended the wire that is being replaced.
    pub(super) fn note(&self, cause: &LossCause) {
        *self.last_cause.lock().unwrap_or_else(PoisonError::into_inner) = Some(cause.again());
    }
}

//! What a host hears of a connection that is opened anew, and what it allows.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use diglot_proto::version::Revision;

use crate::error::{LossCause, Reopening};

/// Whether a server that exits is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restart {
    /// It stays away; requests fail with how it ended.
    #[default]
    Never,
    /// It is started again, within the limits.
    OnExit,
}

/// A connection that was lost, and one step on the way to have it open again.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reconnect {
    /// What was lost, and how that showed.
    pub cause: LossCause,
    /// What is being done about it, or has been.
    pub step: ReconnectStep,
}

/// One step on the way to have a lost connection open again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReconnectStep {
    /// It is about to be opened anew.
    Trying {
        /// The number of the try in its row, from 1.
        attempt: usize,
        /// How long it waits.
        wait: Duration,
    },
    /// It is open again, in the same era.
    Reopened {
        /// The revision that was agreed on this time.
        revision: Revision,
        /// The methods of what could not be set again, such as a subscription.
        not_restored: Vec<String>,
    },
    /// It was not opened anew, and will not be before another request needs it.
    GaveUp(Reopening),
}

impl fmt::Display for Reconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", self.cause)?;
        match &self.step {
            ReconnectStep::Trying { attempt, wait } if wait.is_zero() => {
                write!(f, "opening the connection anew (try {attempt})")
            }
            ReconnectStep::Trying { attempt, wait } => {
                write!(f, "opening the connection anew in {wait:?} (try {attempt})")
            }
            ReconnectStep::Reopened { revision, not_restored } => {
                write!(f, "the connection is open again at {revision}")?;
                match not_restored.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", but not all could be set again: {}", not_restored.join(", ")),
                }
            }
            ReconnectStep::GaveUp(reopening) => reopening.fmt(f),
        }
    }
}

type Listener = Arc<dyn Fn(&Reconnect) + Send + Sync>;

/// Who hears of it; nobody unless set.
#[derive(Clone, Default)]
pub(super) struct OnReconnect(Option<Listener>);

impl OnReconnect {
    pub(super) fn new(listener: impl Fn(&Reconnect) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    pub(super) fn tell(&self, cause: &LossCause, step: ReconnectStep) {
        let event = Reconnect { cause: cause.again(), step };
        tracing::info!(%event, "reconnect");
        if let Some(listener) = &self.0 {
            listener(&event);
        }
    }
}

impl fmt::Debug for OnReconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnReconnect").field(&self.0.is_some()).finish()
    }
}

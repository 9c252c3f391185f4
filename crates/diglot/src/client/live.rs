//! What a connected client holds: its settings, and the wire and agreement of the moment.

use std::sync::{Arc, PoisonError, RwLock};

use diglot_proto::types::LoggingLevel;

use crate::client::losses::Recovery;
use crate::client::restore::Restoration;
use crate::client::settings::Settings;
use crate::client::wire::{Ids, Live};
use crate::transport::Transport;

/// The inside of a client.
pub(super) struct Inner {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) settings: Settings,
    pub(super) ids: Ids,
    pub(super) recovery: Recovery,
    /// What a new legacy session has to be told first.
    pub(super) restoration: Restoration,
    live: RwLock<Arc<Live>>,
    /// The level from which on modern requests ask for log messages.
    log_level: RwLock<Option<LoggingLevel>>,
}

impl Inner {
    pub(super) fn new(transport: Arc<dyn Transport>, settings: Settings, ids: Ids, live: Live) -> Arc<Self> {
        let inner = Arc::new(Self {
            transport,
            settings,
            ids,
            recovery: Recovery::default(),
            restoration: Restoration::default(),
            live: RwLock::new(Arc::new(live)),
            log_level: RwLock::default(),
        });
        inner.watch(&inner.live());
        inner
    }

    /// Returns the wire and agreement of the moment; a request keeps its own to the end.
    pub(super) fn live(&self) -> Arc<Live> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the level from which on modern requests ask for log messages.
    pub(super) fn log_level(&self) -> Option<LoggingLevel> {
        self.log_level.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.write().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Puts a new wire and agreement in the place of the old.
    pub(super) fn replace(&self, live: Arc<Live>) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = live;
    }
}

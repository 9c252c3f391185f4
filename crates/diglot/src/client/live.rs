//! What a connected client holds: its settings, and the wire and agreement of the moment.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use diglot_proto::jsonrpc::Id;
use diglot_proto::lifecycle::{Agreement, Binding, Negotiation};
use diglot_proto::types::LoggingLevel;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::client::recover::Recovery;
use crate::client::restore::Restoration;
use crate::client::settings::Settings;
use crate::transport::{Connection, Transport};

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

/// The wire and the agreement in force: replaced as a whole, never changed in place.
pub(super) struct Live {
    /// What the wire was opened by, which may be another transport than the client was given.
    pub(super) transport: Arc<dyn Transport>,
    pub(super) wire: Wire,
    pub(super) agreement: Agreement,
    pub(super) negotiation: Negotiation,
    pub(super) binding: Binding,
    pub(super) transport_name: &'static str,
}

/// An open connection with the task that answers what the server asks on its own account.
pub(super) struct Wire {
    pub(super) connection: Arc<dyn Connection>,
    pub(super) listener: JoinHandle<()>,
    /// Closes when the server has nothing more to say on its own account.
    pub(super) over: watch::Receiver<()>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        // The listener holds the connection, which would never be dropped otherwise.
        self.listener.abort();
    }
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

/// Request ids: counted from 1 and never used twice in the life of a client.
#[derive(Debug)]
pub(super) struct Ids(AtomicI64);

impl Ids {
    pub(super) fn new() -> Self {
        Self(AtomicI64::new(1))
    }

    pub(super) fn next(&self) -> Id {
        Id::Number(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

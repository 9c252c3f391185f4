//! What a connected client holds: its settings, and the wire and agreement of the moment.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use diglot_proto::jsonrpc::Id;
use diglot_proto::lifecycle::{Agreement, Binding, Negotiation};
use diglot_proto::types::LoggingLevel;
use diglot_proto::version::Era;
use tokio::task::JoinHandle;

use crate::client::cache::Cache;
use crate::client::settings::Settings;
use crate::client::tools::KnownTools;
use crate::error::Error;
use crate::transport::{Connection, Transport};

/// The inside of a client.
pub(super) struct Inner {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) settings: Settings,
    pub(super) ids: Ids,
    /// Held while a remembered verdict that failed is negotiated afresh.
    pub(super) renewal: tokio::sync::Mutex<()>,
    /// What the server lets the client keep.
    pub(super) cache: Arc<Cache>,
    /// What calls have to know of tools.
    pub(super) tools: Arc<KnownTools>,
    live: RwLock<Arc<Live>>,
    /// How many requests await their answers.
    open: AtomicUsize,
    /// The level from which on modern requests ask for log messages.
    log_level: RwLock<Option<LoggingLevel>>,
}

/// What a connection keeps of what its server said.
pub(super) struct Kept {
    cache: Arc<Cache>,
    tools: Arc<KnownTools>,
}

impl Kept {
    /// Begins with nothing, and drops what notifications say has changed.
    pub(super) fn observing(settings: &mut Settings) -> Self {
        let cache = Arc::new(Cache::new(settings.caches, &settings.limits));
        let tools = Arc::new(KnownTools::new(settings));
        settings.observers.add({
            let (cache, tools) = (cache.clone(), tools.clone());
            move |notification| {
                cache.observe(notification);
                tools.observe(notification);
            }
        });
        Self { cache, tools }
    }
}

/// The wire and the agreement in force: replaced as a whole, never changed in place.
pub(super) struct Live {
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
}

impl Drop for Wire {
    fn drop(&mut self) {
        // The listener holds the connection, which would never be dropped otherwise.
        self.listener.abort();
    }
}

impl Live {
    /// Tells whether parameters of tools are mirrored into headers: over HTTP, in the modern era.
    pub(super) fn mirrors_params(&self) -> bool {
        self.binding == Binding::Http && self.agreement.era() == Era::Modern
    }
}

impl Inner {
    pub(super) fn new(
        transport: Arc<dyn Transport>,
        settings: Settings,
        ids: Ids,
        live: Live,
        kept: Kept,
    ) -> Self {
        let live = RwLock::new(Arc::new(live));
        Self {
            transport,
            settings,
            ids,
            renewal: tokio::sync::Mutex::new(()),
            cache: kept.cache,
            tools: kept.tools,
            live,
            open: AtomicUsize::new(0),
            log_level: RwLock::default(),
        }
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

    /// Counts a request as open for as long as the mark lives.
    ///
    /// # Errors
    ///
    /// There are as many as [`Limits::open_requests`](crate::Limits::open_requests) allows.
    pub(super) fn open_one(&self) -> Result<Open<'_>, Error> {
        let mark = Open(&self.open);
        let most = self.settings.limits.open_requests;
        match self.open.fetch_add(1, Ordering::Relaxed) < most {
            true => Ok(mark),
            false => Err(Error::OverLimit("open requests", most)),
        }
    }

    /// Puts a new wire and agreement in the place of the old, whose results mean nothing any more.
    pub(super) fn replace(&self, live: Live) {
        self.cache.forget(|_| true);
        self.tools.forget();
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
    }
}

/// A request that awaits its answer.
pub(super) struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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

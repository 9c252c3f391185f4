//! What a connected client holds: its settings, and the wire and agreement of the moment.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use diglot_proto::types::LoggingLevel;
use tokio::sync::watch;

use crate::client::cache::Cache;
use crate::client::losses::Recovery;
use crate::client::restore::Restoration;
use crate::client::settings::Settings;
use crate::client::subscription::Subscribed;
use crate::client::tools::KnownTools;
use crate::client::wire::{Ids, Live};
use crate::error::Error;
use crate::transport::Transport;

/// The inside of a client.
pub(super) struct Inner {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) settings: Settings,
    pub(super) ids: Ids,
    pub(super) recovery: Recovery,
    /// What a new legacy session has to be told first.
    pub(super) restoration: Restoration,
    /// The resources that a legacy session was asked to tell of.
    pub(super) subscribed: Subscribed,
    /// Changes whenever the wire and agreement do.
    replacements: watch::Sender<()>,
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

impl Inner {
    pub(super) fn new(
        transport: Arc<dyn Transport>,
        settings: Settings,
        ids: Ids,
        live: Live,
        kept: Kept,
    ) -> Arc<Self> {
        let inner = Arc::new(Self {
            transport,
            settings,
            ids,
            recovery: Recovery::default(),
            restoration: Restoration::default(),
            subscribed: Subscribed::default(),
            replacements: watch::Sender::new(()),
            cache: kept.cache,
            tools: kept.tools,
            live: RwLock::new(Arc::new(live)),
            open: AtomicUsize::new(0),
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
    pub(super) fn replace(&self, live: Arc<Live>) {
        self.cache.forget(|_| true);
        self.tools.forget_outputs();
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = live;
        self.replacements.send_replace(());
    }

    /// Waits until another wire is in the place of this one.
    pub(super) async fn until_replaced(&self, live: &Arc<Live>) {
        let mut replacements = self.replacements.subscribe();
        while Arc::ptr_eq(live, &self.live()) {
            // The sender lives as long as this does, so there is no other end to it.
            let _ = replacements.changed().await;
        }
    }
}

/// A request that awaits its answer.
pub(super) struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

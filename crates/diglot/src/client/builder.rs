//! The settings of a client, and the way to connect one.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::lifecycle::{Downgrade, Mode};
use diglot_proto::types::{Discovery, Implementation};
use diglot_proto::version::Revision;

use crate::client::input::{ElicitationHandler, RootsHandler, SamplingHandler};
use crate::client::live::{Ids, Inner};
use crate::client::memory::EraStore;
use crate::client::settings::Settings;
use crate::client::{Client, connect, discover};
use crate::error::Error;
use crate::limits::Limits;
use crate::transport::Transport;

/// The settings of a client before it connects.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it connects"]
pub struct ClientBuilder {
    pub(super) settings: Settings,
}

impl Client {
    /// Starts a client with the name and version that it tells servers.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder { settings: Settings::new(&Implementation::new(name, version)) }
    }
}

impl ClientBuilder {
    /// Sets which eras may be used; [`Mode::Auto`] unless set.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.settings.mode = mode;
        self
    }

    /// Sets when the client falls back to the legacy era; [`Downgrade::Standard`] unless set.
    pub fn downgrade(mut self, downgrade: Downgrade) -> Self {
        self.settings.downgrade = downgrade;
        self
    }

    /// Pins one revision: a legacy pin never probes, a modern pin never falls back.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.settings.pin = Some(revision);
        self
    }

    /// Sets how long the probe may take; 10 seconds unless set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.settings.probe_timeout = timeout;
        self
    }

    /// Sets how long `initialize` may take, the start of a slow process included; 60 seconds unless set.
    pub fn initialize_timeout(mut self, timeout: Duration) -> Self {
        self.settings.initialize_timeout = timeout;
        self
    }

    /// Sets how long any other request may take unless it says otherwise itself; 60 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets a store that remembers the eras of servers, so that the probe is skipped next time.
    pub fn remember(mut self, store: EraStore) -> Self {
        self.settings.store = Some(store);
        self
    }

    /// Sets the limits on what a server can grow.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Lets servers ask the user to fill forms, and declares so.
    pub fn on_elicitation(mut self, handler: impl ElicitationHandler) -> Self {
        self.settings.handlers.set_form(handler);
        self.declare()
    }

    /// Lets servers ask the user to open addresses, and declares so.
    pub fn on_url_elicitation(mut self, handler: impl ElicitationHandler) -> Self {
        self.settings.handlers.set_url(handler);
        self.declare()
    }

    /// Lets servers ask the client's model, and declares so.
    pub fn on_sampling(mut self, handler: impl SamplingHandler) -> Self {
        self.settings.handlers.set_sampling(handler, false);
        self.declare()
    }

    /// Lets servers ask the client's model, tools included, and declares so.
    pub fn on_sampling_with_tools(mut self, handler: impl SamplingHandler) -> Self {
        self.settings.handlers.set_sampling(handler, true);
        self.declare()
    }

    /// Lets servers ask for the client's roots, and declares so.
    pub fn on_roots(mut self, handler: impl RootsHandler) -> Self {
        self.settings.handlers.set_roots(handler);
        self.declare()
    }

    fn declare(mut self) -> Self {
        self.settings.declare();
        self
    }

    /// Connects to a server, in whichever era it speaks.
    ///
    /// # Errors
    ///
    /// Every failure carries the steps that led to it; see [`Error::negotiation`].
    pub async fn connect(self, transport: impl Transport) -> Result<Client, Error> {
        self.connect_boxed(Arc::new(transport)).await
    }

    async fn connect_boxed(self, transport: Arc<dyn Transport>) -> Result<Client, Error> {
        let ids = Ids::new();
        let live = connect::connect(&transport, &self.settings, &ids).await?;
        Ok(Client { inner: Arc::new(Inner::new(transport, self.settings, ids, live)) })
    }

    /// Asks a server what it is and sends nothing but `server/discover`: no fallback, no handshake.
    ///
    /// # Errors
    ///
    /// Whatever the server answers instead of a discovery is the error; a legacy server answers with one.
    pub async fn discover(self, transport: impl Transport) -> Result<Discovery, Error> {
        discover::discover_once(&transport, &self.settings).await
    }
}

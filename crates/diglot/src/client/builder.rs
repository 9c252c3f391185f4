//! The settings of a client, and the way to connect one.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::lifecycle::{Downgrade, Mode};
use diglot_proto::meta::TraceContext;
use diglot_proto::types::{Discovery, Implementation, LogMessageParams};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

use crate::client::input::{ElicitationHandler, RootsHandler, SamplingHandler};
use crate::client::live::{Inner, Kept};
use crate::client::memory::EraStore;
use crate::client::reconnect::{OnReconnect, Reconnect, Restart};
use crate::client::settings::Settings;
use crate::client::trace::TraceSource;
use crate::client::wire::Ids;
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
        self.settings.handlers.bound(limits.input_requests);
        self.settings.limits = limits;
        self
    }

    /// Sets whether a server is started again when it exits; [`Restart::Never`] unless set.
    ///
    /// It holds for every pipe that can be opened again, a child process above all. The wait before a start grows from
    /// [`Limits::restart_wait`] on, and after [`Limits::restarts_in_a_row`] the client gives up. A new process begins
    /// with nothing of what the old one knew, which is why the host has to allow it.
    ///
    /// A request that was under way is repeated where that cannot do anything twice: it had not left yet, or its method
    /// only reads. Any other fails with how the process ended, its last words, and that it may have acted.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.settings.restart = restart;
        self
    }

    /// Hears when a lost connection is opened anew, and why; see [`Reconnect`].
    ///
    /// A legacy session that the server has lost, and the stream of HTTP+SSE, are always opened anew, in the era that
    /// was agreed on and within [`Limits::reopenings_per_minute`]. The log level and the subscriptions are set again;
    /// whatever else the server kept in the session is gone, so a host may want to know.
    ///
    /// The function runs while requests wait for the connection, so it should return quickly.
    ///
    /// ```
    /// use diglot::Client;
    /// use diglot::client::Restart;
    ///
    /// let builder = Client::builder("demo", "1.0.0")
    ///     .restart(Restart::OnExit)
    ///     .on_reconnect(|event| eprintln!("{event}"));
    /// ```
    pub fn on_reconnect(mut self, listener: impl Fn(&Reconnect) + Send + Sync + 'static) -> Self {
        self.settings.on_reconnect = OnReconnect::new(listener);
        self
    }

    /// Sets whether results are kept for as long as a modern server says; they are unless set.
    ///
    /// A fresh list, or a fresh resource, is then answered without asking the server. What is kept belongs to this one
    /// client; notifications of changes drop it, and so does [`Client::clear_cache`]. Calls of tools, requests that took
    /// rounds of input and requests with `_meta` of their own are never kept (`server/utilities/caching`).
    pub fn cache(mut self, is_on: bool) -> Self {
        self.settings.caches = is_on;
        self
    }

    /// Sets whether the structured result of a tool is checked against the tool's `outputSchema`; it is unless set.
    ///
    /// The check needs the schema, so it is of tools that the client has listed. A result that does not fit is a
    /// protocol error; [`CallTool::check_output`](crate::client::CallTool::check_output) lets a call have it all the
    /// same. Nothing that a schema refers to is ever fetched, and a schema that cannot be used checks nothing.
    pub fn check_output(mut self, is_on: bool) -> Self {
        self.settings.checks_output = is_on;
        self
    }

    /// Sets what tells the trace context of the moment, which every request then carries in its `_meta`, in both eras.
    ///
    /// The function runs where the request is awaited, inside whatever span is entered there. With OpenTelemetry, let
    /// the propagator write into a map, and make the context of that; with `tracing-opentelemetry` the context of the
    /// current span is `tracing::Span::current().context()`:
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use diglot::Client;
    /// use diglot::client::TraceContext;
    ///
    /// // Stands for `propagator.inject_context(&context, &mut entries)`.
    /// fn inject(entries: &mut HashMap<String, String>) {
    ///     let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    ///     entries.insert("traceparent".to_owned(), parent.to_owned());
    /// }
    ///
    /// let builder = Client::builder("demo", "1.0.0").trace_context(|| {
    ///     let mut entries = HashMap::new();
    ///     inject(&mut entries);
    ///     TraceContext::from_entries(&entries)
    /// });
    /// ```
    pub fn trace_context(mut self, source: impl Fn() -> TraceContext + Send + Sync + 'static) -> Self {
        self.settings.trace = TraceSource::new(source);
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

    /// Hears the log messages of the server, in both eras, whichever request they belong to.
    ///
    /// A server logs from the level on that [`Client::set_log_level`] says; some do without being asked.
    ///
    /// The function runs on a task of its own, one message after another, so nothing on the wire waits for it; it should
    /// not block its thread, as no task should. Where it is too slow, [`Limits::queued_messages`] of them wait, and the
    /// oldest are dropped, which a warning in the trace says once.
    pub fn on_log(mut self, listener: impl Fn(LogMessageParams) + Send + Sync + 'static) -> Self {
        self.settings.host.set_log(listener);
        self
    }

    /// Hears every notification of the server as it came: its method, and its parameters with their `_meta`.
    ///
    /// It is the way to those that this crate does not know, such as a server's own or those of extensions; those that it
    /// knows are told too, in their order. The function runs as that of [`on_log`](Self::on_log) does.
    ///
    /// ```
    /// use diglot::Client;
    ///
    /// let builder = Client::builder("demo", "1.0.0").on_notification(|method, params| {
    ///     println!("{method}: {}", params.map_or("", |params| params.get()));
    /// });
    /// ```
    pub fn on_notification(
        mut self,
        listener: impl Fn(&str, Option<&RawValue>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.host.set_notification(listener);
        self
    }

    fn declare(mut self) -> Self {
        self.settings.declare();
        self
    }

    /// Connects to a server, in whichever era it speaks.
    ///
    /// A legacy server over Streamable HTTP says what belongs to no request on a stream of its own. It is opened after
    /// the handshake where the host can use it: with a handler for what servers ask, with [`on_log`](Self::on_log) or
    /// [`on_notification`](Self::on_notification); else with the first [`Client::listen`].
    ///
    /// # Errors
    ///
    /// Every failure carries the steps that led to it; see [`Error::negotiation`].
    pub async fn connect(self, transport: impl Transport) -> Result<Client, Error> {
        self.connect_boxed(Arc::new(transport)).await
    }

    async fn connect_boxed(mut self, transport: Arc<dyn Transport>) -> Result<Client, Error> {
        let ids = Ids::new();
        // First, so that a host that hears of a change finds nothing stale.
        let kept = Kept::observing(&mut self.settings);
        self.settings.begin();
        let live = connect::connect(&transport, &self.settings, &ids).await?;
        Ok(Client { inner: Inner::new(transport, self.settings, ids, live, kept) })
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

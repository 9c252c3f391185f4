//! All settings of a client, in force for its whole life.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::lifecycle::{Downgrade, Mode};
use diglot_proto::method::TASKS_EXTENSION;
use diglot_proto::types::{ClientCapabilities, Implementation};
use diglot_proto::version::Revision;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::input::Handlers;
use crate::client::memory::EraStore;
use crate::client::notices::Host;
use crate::client::observers::Observers;
use crate::client::reconnect::{OnReconnect, Restart};
use crate::client::subscription::Listens;
use crate::client::task::OnDrop;
use crate::client::trace::TraceSource;
use crate::limits::Limits;

/// All settings of a client.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) client: Box<RawValue>,
    /// What the handlers declare.
    pub(super) capabilities: Box<RawValue>,
    /// The same, and that tasks are understood.
    capabilities_with_tasks: Box<RawValue>,
    pub(super) handlers: Handlers,
    pub(super) mode: Mode,
    pub(super) pin: Option<Revision>,
    pub(super) downgrade: Downgrade,
    pub(super) probe_timeout: Duration,
    pub(super) initialize_timeout: Duration,
    pub(super) timeout: Duration,
    pub(super) store: Option<EraStore>,
    pub(super) limits: Limits,
    /// What happens to tasks that nobody waits for; nothing where calls may not become tasks.
    pub(super) tasks: Option<OnDrop>,
    /// Whether results are kept for as long as the server says.
    pub(super) caches: bool,
    /// Whether structured results are checked against the schemas of their tools.
    pub(super) checks_output: bool,
    pub(super) trace: TraceSource,
    pub(super) restart: Restart,
    pub(super) on_reconnect: OnReconnect,
    /// Who hears of notifications on the host's side.
    pub(super) host: Host,
    /// Who is told of notifications; whoever connects adds what belongs to the connection.
    pub(super) observers: Observers,
    /// Who listens to changes on the connection.
    pub(super) listens: Arc<Listens>,
}

impl Settings {
    pub(super) fn new(client: &Implementation) -> Self {
        Self {
            client: raw(client),
            capabilities: Handlers::default().capabilities(),
            capabilities_with_tasks: with_tasks(&Handlers::default().capabilities()),
            handlers: Handlers::default(),
            mode: Mode::Auto,
            pin: None,
            downgrade: Downgrade::Standard,
            probe_timeout: Duration::from_secs(10),
            initialize_timeout: Duration::from_secs(60),
            timeout: Duration::from_secs(60),
            store: None,
            limits: Limits::default(),
            tasks: None,
            caches: true,
            checks_output: true,
            trace: TraceSource::default(),
            restart: Restart::Never,
            on_reconnect: OnReconnect::default(),
            host: Host::default(),
            observers: Observers::default(),
            listens: Arc::default(),
        }
    }

    /// Makes the places of one connection: who hears of what its server says.
    pub(super) fn begin(&mut self) {
        let listens = Arc::<Listens>::default();
        self.listens = listens.clone();
        self.observers.add(move |notification| listens.observe(notification));
        self.host.observe(&mut self.observers, &self.limits);
    }

    /// Tells whether the host has anything that a legacy server may send on its own account.
    pub(super) fn wants_unsolicited(&self) -> bool {
        self.handlers.is_set() || self.host.is_set()
    }

    /// Declares what the handlers can do.
    pub(super) fn declare(&mut self) {
        self.capabilities = self.handlers.capabilities();
        self.capabilities_with_tasks = with_tasks(&self.capabilities);
    }

    /// Returns what a modern request declares.
    pub(super) fn declared(&self, takes_task: bool) -> &RawValue {
        match takes_task {
            true => &self.capabilities_with_tasks,
            false => &self.capabilities,
        }
    }
}

/// Adds the extension that brings tasks to what a client declares.
fn with_tasks(capabilities: &RawValue) -> Box<RawValue> {
    let mut capabilities = ClientCapabilities::read(capabilities).expect("the handlers declare an object");
    let mut extensions = capabilities.extensions.take().unwrap_or_default();
    extensions.insert(TASKS_EXTENSION, raw(&serde_json::Map::new()));
    capabilities.extensions(extensions).to_raw()
}

/// Serialises a value of our own.
fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("plain text serialises")
}

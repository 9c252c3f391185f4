//! An open wire with what was agreed on over it, and the ids of requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use diglot_proto::jsonrpc::Id;
use diglot_proto::lifecycle::{Agreement, Binding, Negotiation};
use diglot_proto::version::Era;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::client::reconnect::Restart;
use crate::transport::{Connection, Transport};

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

impl Live {
    /// Tells whether parameters of tools are mirrored into headers: over HTTP, in the modern era.
    pub(super) fn mirrors_params(&self) -> bool {
        self.binding == Binding::Http && self.agreement.era() == Era::Modern
    }

    /// Tells whether the wire is opened anew when it ends: HTTP+SSE is, and a pipe where the host allows it.
    pub(super) fn recovers(&self, restart: Restart) -> bool {
        match self.binding {
            Binding::Http => self.transport.is_legacy_only(),
            _ => restart == Restart::OnExit && self.transport.reopens(),
        }
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

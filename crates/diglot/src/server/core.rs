//! The inside of a server: settings, catalog, subscribers, and the seal of request states, tasks.

use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock};

use diglot_proto::lifecycle::classify::Offer;

use crate::server::catalog::Catalog;
use crate::server::hub::Hub;
use crate::server::request_state::Seal;
use crate::server::settings::Settings;
use crate::server::task::Tasks;

/// What all bindings of one server share.
pub(crate) struct Core {
    /// The server, for handlers that change it.
    pub(crate) server: Arc<dyn Any + Send + Sync>,
    pub(crate) settings: Settings,
    pub(crate) hub: Arc<Hub>,
    pub(crate) seal: Seal,
    pub(crate) catalog: Arc<SharedCatalog>,
    pub(crate) tasks: Arc<Tasks>,
}

/// The catalog of the moment, replaced as a whole.
#[derive(Default)]
pub(crate) struct SharedCatalog(RwLock<Arc<Catalog>>);

impl SharedCatalog {
    pub(crate) fn now(&self) -> Arc<Catalog> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the catalog.
    pub(crate) fn change<T>(&self, act: impl FnOnce(&mut Catalog) -> T) -> T {
        let mut now = self.0.write().unwrap_or_else(PoisonError::into_inner);
        act(Arc::make_mut(&mut now))
    }
}

impl Core {
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.now()
    }

    /// Returns what classification needs to know of the server.
    pub(crate) fn offer(&self) -> Offer<'_> {
        Offer::new(self.settings.is_modern(), self.settings.legacy())
    }
}

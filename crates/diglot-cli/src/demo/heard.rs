//! Notes which methods the client sends, for the calls at the end of the tour.

use std::sync::{Arc, Mutex, PoisonError};

use diglot::transport::{Outbound, OutboundKind, Transport};

use crate::tap::Tap;

/// The methods in the order of their sending; clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    methods: Arc<Mutex<Vec<String>>>,
}

impl Heard {
    /// Returns what was sent so far.
    pub(super) fn methods(&self) -> Vec<String> {
        self.methods.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, method: &str) {
        self.methods.lock().unwrap_or_else(PoisonError::into_inner).push(method.to_owned());
    }
}

impl Tap for Heard {
    /// The deprecated transport begins with a GET, which is no message.
    fn opening(&self, transport: &dyn Transport) {
        if transport.name() == "http+sse" {
            self.note("GET");
        }
    }

    fn sent(&self, outbound: &Outbound) {
        if outbound.kind != OutboundKind::Response {
            self.note(&outbound.method);
        }
    }
}

//! A transport that notes which methods the client sends, for the calls at the end of the tour.

use std::sync::{Arc, Mutex, PoisonError};

use diglot::Limits;
use diglot::error::TransportError;
use diglot::transport::{
    Binding, BoxFuture, Connection, Exchange, Inbound, Outbound, OutboundKind, Transport,
};

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

/// Any transport, listened in on.
pub(super) struct Listened {
    pub(super) inner: Box<dyn Transport>,
    pub(super) heard: Heard,
}

impl Transport for Listened {
    fn binding(&self) -> Binding {
        self.inner.binding()
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async {
            if self.inner.name() == "http+sse" {
                self.heard.note("GET");
            }
            let inner = self.inner.open(limits).await?;
            Ok(Box::new(Wire { inner, heard: self.heard.clone() }) as Box<dyn Connection>)
        })
    }

    fn target(&self) -> String {
        self.inner.target()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn reopens(&self) -> bool {
        self.inner.reopens()
    }

    fn is_legacy_only(&self) -> bool {
        self.inner.is_legacy_only()
    }

    fn http_sse(&self) -> Option<Box<dyn Transport>> {
        let inner = self.inner.http_sse()?;
        Some(Box::new(Self { inner, heard: self.heard.clone() }))
    }
}

struct Wire {
    inner: Box<dyn Connection>,
    heard: Heard,
}

impl Connection for Wire {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        if outbound.kind != OutboundKind::Response {
            self.heard.note(&outbound.method);
        }
        self.inner.send(outbound)
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        self.inner.unsolicited()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }

    fn failure(&self) -> Option<TransportError> {
        self.inner.failure()
    }
}

//! A transport that passes everything on, and shows it to something that looks on.
//!
//! What a wire can do is handed on here, once, so that whoever looks on changes nothing about the connection.

use std::sync::Arc;

use diglot::Limits;
use diglot::error::TransportError;
use diglot::transport::{
    Binding, BoxFuture, Connection, Exchange, ExchangeSource, Inbound, Outbound, Transport,
};

/// Something that looks on.
pub(crate) trait Tap: Send + Sync + 'static {
    /// Sees that a wire is about to be opened.
    fn opening(&self, _transport: &dyn Transport) {}

    /// Sees a message on its way out.
    fn sent(&self, outbound: &Outbound);

    /// Sees what came in.
    fn came(&self, _inbound: &Inbound) {}
}

/// Nothing looks on where there is nobody to.
impl<T: Tap> Tap for Option<T> {
    fn opening(&self, transport: &dyn Transport) {
        self.iter().for_each(|tap| tap.opening(transport));
    }

    fn sent(&self, outbound: &Outbound) {
        self.iter().for_each(|tap| tap.sent(outbound));
    }

    fn came(&self, inbound: &Inbound) {
        self.iter().for_each(|tap| tap.came(inbound));
    }
}

/// Any transport with a tap.
pub(crate) struct Tapped {
    inner: Box<dyn Transport>,
    tap: Arc<dyn Tap>,
}

impl Tapped {
    /// Lets something look on at a transport.
    pub(crate) fn new(inner: Box<dyn Transport>, tap: impl Tap) -> Self {
        Self { inner, tap: Arc::new(tap) }
    }
}

impl Transport for Tapped {
    fn binding(&self) -> Binding {
        self.inner.binding()
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async {
            self.tap.opening(&*self.inner);
            let inner = self.inner.open(limits).await?;
            Ok(Box::new(Wire { inner, tap: self.tap.clone() }) as Box<dyn Connection>)
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

    fn key(&self) -> Option<String> {
        self.inner.key()
    }

    fn http_sse(&self) -> Option<Box<dyn Transport>> {
        let inner = self.inner.http_sse()?;
        Some(Box::new(Self { inner, tap: self.tap.clone() }))
    }
}

/// An open wire with a tap.
struct Wire {
    inner: Box<dyn Connection>,
    tap: Arc<dyn Tap>,
}

impl Connection for Wire {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(async {
            self.tap.sent(&outbound);
            let inner = self.inner.send(outbound).await?;
            Ok(Exchange::new(Source { inner, tap: self.tap.clone() }))
        })
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(async {
            let inbound = self.inner.unsolicited().await;
            inbound.iter().for_each(|inbound| self.tap.came(inbound));
            inbound
        })
    }

    fn attend(&self) -> BoxFuture<'_, Result<bool, TransportError>> {
        self.inner.attend()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }

    fn failure(&self) -> Option<TransportError> {
        self.inner.failure()
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.inner.stderr_tail()
    }
}

/// An exchange with a tap.
struct Source {
    inner: Exchange,
    tap: Arc<dyn Tap>,
}

impl ExchangeSource for Source {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
        Box::pin(async {
            let next = self.inner.next().await;
            if let Some(Ok(inbound)) = &next {
                self.tap.came(inbound);
            }
            next
        })
    }
}

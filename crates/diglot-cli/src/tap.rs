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

#[cfg(test)]
mod tests {
    use diglot::error::TransportFault;

    use super::*;

    /// A transport and its wire, of which every answer is another than the one that a trait gives by itself.
    struct Odd;

    impl Transport for Odd {
        fn binding(&self) -> Binding {
            Binding::Http
        }

        fn open<'a>(&'a self, _: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
            Box::pin(async { Ok(Box::new(Self) as Box<dyn Connection>) })
        }

        fn target(&self) -> String {
            "odd".to_owned()
        }

        fn name(&self) -> &'static str {
            "odd"
        }

        fn reopens(&self) -> bool {
            false
        }

        fn is_legacy_only(&self) -> bool {
            true
        }

        fn key(&self) -> Option<String> {
            Some("key".to_owned())
        }

        fn http_sse(&self) -> Option<Box<dyn Transport>> {
            Some(Box::new(Self))
        }
    }

    impl Connection for Odd {
        fn send(&self, _: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
            Box::pin(async { Ok(Exchange::of(Some(Inbound::Missed))) })
        }

        fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
            Box::pin(async { Some(Inbound::Missed) })
        }

        fn attend(&self) -> BoxFuture<'_, Result<bool, TransportError>> {
            Box::pin(async { Err(TransportError::new(TransportFault::OnlyOnce, "attend")) })
        }

        fn close(&self) -> BoxFuture<'_, ()> {
            Box::pin(async {})
        }

        fn failure(&self) -> Option<TransportError> {
            Some(TransportError::new(TransportFault::Ended, "failure"))
        }

        fn stderr_tail(&self) -> Vec<String> {
            vec!["last words".to_owned()]
        }
    }

    /// Counts what it sees.
    #[derive(Clone, Default)]
    struct Count(Arc<std::sync::Mutex<Vec<&'static str>>>);

    impl Tap for Count {
        fn opening(&self, _: &dyn Transport) {
            self.0.lock().unwrap().push("opening");
        }

        fn sent(&self, _: &Outbound) {
            self.0.lock().unwrap().push("sent");
        }

        fn came(&self, _: &Inbound) {
            self.0.lock().unwrap().push("came");
        }
    }

    #[tokio::test]
    async fn a_tap_hands_everything_on_and_sees_what_passes() {
        let count = Count::default();
        let tapped = Tapped::new(Box::new(Odd), Some(count.clone()));
        let told = (tapped.binding(), tapped.target(), tapped.name(), tapped.key());
        assert_eq!(told, (Binding::Http, "odd".to_owned(), "odd", Some("key".to_owned())));
        assert_eq!((tapped.reopens(), tapped.is_legacy_only()), (false, true));
        let wire = tapped.http_sse().unwrap().open(&Limits::default()).await.unwrap();
        let mut exchange = wire.send(Outbound::notification("notifications/x", None)).await.unwrap();
        assert!(matches!(exchange.next().await, Some(Ok(Inbound::Missed))));
        assert!(matches!(wire.unsolicited().await, Some(Inbound::Missed)));
        assert_eq!(wire.attend().await.unwrap_err().target, "attend");
        assert_eq!(wire.failure().unwrap().target, "failure");
        assert_eq!(wire.stderr_tail(), ["last words"]);
        assert_eq!(*count.0.lock().unwrap(), ["opening", "sent", "came", "came"]);
    }
}

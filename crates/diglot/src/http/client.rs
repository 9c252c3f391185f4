//! Streamable HTTP: every message a POST, every answer a body or a stream of its own.
//!
//! Both eras are in here, and neither is remembered: each message says by its [`Outbound`] which headers it needs. All
//! that the wire itself holds is the session of a legacy server.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::version::Era;
use tokio::time::timeout;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::{AnyClient, HttpClient};
use crate::http::address::Address;
use crate::http::answer::Answer;
use crate::http::cancel::Cancellation;
use crate::http::drain::{drain, drain_later};
use crate::http::endpoint::Endpoint;
use crate::http::http_sse::HttpSse;
use crate::http::request;
use crate::http::standalone::Standalone;
use crate::http::wire::{Wire, closing};
use crate::limits::Limits;
use crate::transport::{
    Binding, BoxFuture, Connection, Exchange, Inbound, Outbound, OutboundKind, Transport,
};

/// How long the end of a session may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A server at an HTTP address.
///
/// Auto mode falls back to the deprecated HTTP+SSE transport at the same address where the rules allow it.
///
/// ```
/// # fn main() -> Result<(), diglot::error::TransportError> {
/// use diglot::http::StreamableHttp;
///
/// let server = StreamableHttp::new("https://example.com/mcp")?.bearer("token")?.header("x-team", "blue")?;
/// assert!(!format!("{server:?}").contains("token"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StreamableHttp {
    endpoint: Endpoint,
    key: Option<String>,
    streamable_only: bool,
    close_timeout: Duration,
}

impl StreamableHttp {
    /// Reaches the server at an `http` or `https` address over an HTTP client of the caller's.
    ///
    /// # Errors
    ///
    /// `BadAddress` if the address is none, or carries credentials.
    pub fn over(url: &str, client: impl HttpClient) -> Result<Self, TransportError> {
        Ok(Self::at(Address::parse(url)?, AnyClient::new(client)))
    }

    pub(super) fn at(address: Address, client: AnyClient) -> Self {
        let key = Some(address.to_string());
        let endpoint = Endpoint::new(client, address);
        Self { endpoint, key, streamable_only: false, close_timeout: CLOSE_TIMEOUT }
    }

    /// Names the place where no address tells it.
    #[cfg(unix)]
    pub(super) fn placed(mut self, place: String) -> Self {
        self.key = Some(place.clone());
        self.endpoint = self.endpoint.placed(place);
        self
    }

    /// Sends a header with every request; its value never shows up in errors.
    ///
    /// A value beyond ASCII is sent as UTF-8. The last value of a name counts.
    ///
    /// # Errors
    ///
    /// `BadHeader`, which names the header, if it cannot be sent or belongs to the protocol.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, TransportError> {
        self.endpoint.header(name, value)?;
        Ok(self)
    }

    /// Sends a bearer token with every request, as `Authorization`.
    ///
    /// # Errors
    ///
    /// `BadHeader` if the token has a character that cannot be sent, such as a newline at its end.
    pub fn bearer(self, token: &str) -> Result<Self, TransportError> {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Rules out the deprecated HTTP+SSE transport.
    #[must_use]
    pub fn streamable_only(mut self) -> Self {
        self.streamable_only = true;
        self
    }

    /// Sets how long a close waits for a legacy server to end its session: 2 s by default.
    #[must_use]
    pub fn close_timeout(mut self, longest: Duration) -> Self {
        self.close_timeout = longest;
        self
    }
}

impl Transport for StreamableHttp {
    fn binding(&self) -> Binding {
        Binding::Http
    }

    /// Makes a connection without sending anything: HTTP has nothing to open.
    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        let wire = Arc::new(Wire::new(self.endpoint.clone(), limits.clone()));
        let connection: Box<dyn Connection> = Box::new(HttpConnection {
            wire,
            standalone: Standalone::new(limits),
            close_timeout: self.close_timeout,
        });
        Box::pin(async { Ok(connection) })
    }

    fn target(&self) -> String {
        self.endpoint.target()
    }

    fn name(&self) -> &'static str {
        "streamable-http"
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }

    fn http_sse(&self) -> Option<Box<dyn Transport>> {
        (!self.streamable_only).then(|| Box::new(HttpSse::at(self.endpoint.clone())) as Box<dyn Transport>)
    }
}

/// A connection in name: requests share an HTTP client, and a session where the server has one.
struct HttpConnection {
    wire: Arc<Wire>,
    standalone: Arc<Standalone>,
    close_timeout: Duration,
}

impl Drop for HttpConnection {
    fn drop(&mut self) {
        self.standalone.stop();
    }
}

impl HttpConnection {
    async fn deliver(&self, outbound: Outbound) -> Result<Exchange, TransportError> {
        let mut cancellation = Cancellation::of(&outbound, self.wire.clone());
        let exchange = self.exchange(outbound, &mut cancellation).await;
        // Not reached where the future is dropped, which withdraws the request.
        cancellation.disarm();
        exchange
    }

    /// Sends a message; the cancellation is taken along into an exchange that goes on.
    async fn exchange(
        &self,
        outbound: Outbound,
        cancellation: &mut Cancellation,
    ) -> Result<Exchange, TransportError> {
        let wire = &self.wire;
        let mut closed = wire.closed.subscribe();
        if *closed.borrow() {
            return Err(wire.ended());
        }
        let (head, body) = tokio::select! {
            biased;
            () = closing(&mut closed) => return Err(wire.ended().after_sending()),
            answer = wire.post(&outbound) => answer?,
        };
        if !head.is_success() {
            cancellation.disarm();
            let limits = (wire.limits.message_bytes, wire.limits.excerpt_bytes);
            let reply = head.error(body, wire.endpoint.secrets(), limits).await;
            if matches!(&reply, Inbound::Http(reply) if reply.lost_session.is_some()) {
                wire.session.lose();
            }
            return Ok(Exchange::of(Some(reply)));
        }
        match outbound.kind {
            OutboundKind::Request(id) => {
                let cancellation = std::mem::take(cancellation);
                if let Some(encoding) = head.compression() {
                    let error =
                        TransportError::new(TransportFault::Compressed { encoding }, wire.endpoint.target());
                    return Err(error.status(head.status).after_sending());
                }
                let is_legacy = outbound.revision.is_some_and(|revision| revision.era() == Era::Legacy);
                let resumes = is_legacy && !outbound.is_opening;
                Ok(Exchange::new(Answer::new(wire.clone(), cancellation, id, (head, body), resumes)))
            }
            OutboundKind::Notification | OutboundKind::Response => {
                drain(body).await;
                Ok(Exchange::delivered())
            }
        }
    }
}

impl Connection for HttpConnection {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(self.deliver(outbound))
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(self.standalone.next())
    }

    /// Opens the stream that a legacy server may have for it, with a GET.
    fn attend(&self) -> BoxFuture<'_, Result<bool, TransportError>> {
        self.standalone.attend(&self.wire)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.wire.closed.send_replace(true);
            self.standalone.stop();
            let Some((session, revision)) = self.wire.session.end() else { return };
            let letter = request::delete(&self.wire.endpoint, session, revision);
            // Many servers do not know DELETE, and some never answer it; neither is the caller's trouble.
            match timeout(self.close_timeout, self.wire.endpoint.send(letter)).await {
                Ok(Ok((response, _))) => drain_later(response.into_body()),
                Ok(Err(error)) => tracing::debug!(%error, "the session could not be ended"),
                Err(_) => tracing::debug!("the server did not end the session in time"),
            }
        })
    }
}

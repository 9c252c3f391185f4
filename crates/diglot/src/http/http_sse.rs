//! HTTP+SSE, the deprecated transport of revision 2024-11-05: one event stream for all answers, and a POST a message.
//!
//! The stream's first event names the address that messages are posted to. What comes over the stream is handed to its
//! exchange by id, as on a pipe.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diglot_proto::http::response::{Manner, manner};
use diglot_proto::jsonrpc::Id;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::{AnyClient, Body, HttpClient};
use crate::http::address::{Address, Resolved};
use crate::http::cancel::{Cancellation, Courier};
use crate::http::drain::drain;
use crate::http::endpoint::Endpoint;
use crate::http::reply::Head;
use crate::http::request;
use crate::http::session::Standing;
use crate::http::stream::{Events, Said};
use crate::limits::Limits;
use crate::transport::dispatch::Dispatch;
use crate::transport::exchange::Slot;
use crate::transport::{
    Binding, BoxFuture, Connection, Exchange, ExchangeSource, Inbound, Outbound, ReplyBody, Transport,
};

/// A server at the address of its event stream, over the deprecated transport.
///
/// It carries the legacy era only. [`StreamableHttp`](crate::http::StreamableHttp) falls back to it by itself.
#[derive(Clone, Debug)]
pub struct HttpSse {
    endpoint: Endpoint,
    endpoint_timeout: Option<Duration>,
}

impl HttpSse {
    /// Reaches the server whose event stream is at an address, over an HTTP client of the caller's.
    ///
    /// # Errors
    ///
    /// `BadAddress` if the address is none, or carries credentials.
    pub fn over(url: &str, client: impl HttpClient) -> Result<Self, TransportError> {
        Ok(Self::at(Endpoint::new(AnyClient::new(client), Address::parse(url)?)))
    }

    pub(super) fn at(endpoint: Endpoint) -> Self {
        Self { endpoint, endpoint_timeout: None }
    }

    /// Sends a header with every request; its value never shows up in errors.
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

    /// Sets how long the stream may take to name its endpoint, where that is to be less than the client's budget.
    ///
    /// A client gives it as long as `initialize`, as it does with any transport that opens. Who opens the transport
    /// without a client sets a time here, or waits as long as the server likes.
    #[must_use]
    pub fn endpoint_timeout(mut self, longest: Duration) -> Self {
        self.endpoint_timeout = Some(longest);
        self
    }

    fn fault(&self, fault: TransportFault) -> TransportError {
        TransportError::new(fault, self.endpoint.target())
    }

    async fn begin(&self, limits: &Limits) -> Result<Box<dyn Connection>, TransportError> {
        let (response, base) = self.endpoint.send(request::get(&self.endpoint)).await?;
        let (parts, body) = response.into_parts();
        let head = Head::new(parts, Standing::Outside, self.endpoint.has_credentials());
        if !head.is_success() || manner(head.status, head.content_type.as_deref()) == Manner::Whole {
            return Err(self.no_stream(head, body, limits).await);
        }
        let mut stream = Stream { body, events: Events::new(limits.message_bytes) };
        let post_to = match stream.next().await {
            Ok(Some(Said::Endpoint(endpoint))) => self.post_to(&base, endpoint.trim_ascii())?,
            Ok(Some(_)) => {
                return Err(self.fault(TransportFault::NoEndpoint).because("it begins with a message"));
            }
            Ok(None) => return Err(self.fault(TransportFault::NoEndpoint).because("it ended")),
            Err(error) => return Err(self.fault(TransportFault::StreamLost).because(error)),
        };
        let shared = Arc::new(Shared {
            endpoint: self.endpoint.clone(),
            limits: limits.clone(),
            dispatch: Dispatch::new(limits),
            post_to: Mutex::new(post_to),
        });
        let reader = tokio::spawn(read(stream, shared.clone()));
        Ok(Box::new(SseConnection { shared, reader }))
    }

    async fn no_stream(&self, head: Head, body: Body, limits: &Limits) -> TransportError {
        let status = head.status;
        let bounds = (limits.message_bytes, limits.excerpt_bytes);
        let page_title = match head.error(body, self.endpoint.secrets(), bounds).await {
            Inbound::Http(reply) => match reply.body {
                ReplyBody::WebPage(title) => title,
                _ => None,
            },
            _ => None,
        };
        self.fault(TransportFault::NoEventStream { page_title }).status(status)
    }

    fn post_to(&self, base: &Address, endpoint: &str) -> Result<PostTo, TransportError> {
        let cut = |text: String| self.endpoint.secrets().cut(&text);
        match base.resolve(endpoint.as_bytes()) {
            Resolved::Here(address) => {
                let below_prefix = below_prefix(base, &address, endpoint);
                Ok(PostTo { address, below_prefix })
            }
            Resolved::Elsewhere(endpoint) => {
                Err(self.fault(TransportFault::ForeignEndpoint { endpoint: cut(endpoint) }))
            }
            Resolved::Nowhere(endpoint) => Err(self
                .fault(TransportFault::NoEndpoint)
                .because(format!("{:?} is no address", cut(endpoint)))),
        }
    }
}

/// Where messages are posted to.
struct PostTo {
    address: Address,
    /// Where they go if the first one is not found there: servers behind a prefix often do not know of it.
    below_prefix: Option<Address>,
}

/// Puts the folder of the stream's address before an endpoint that is given as a path.
fn below_prefix(base: &Address, address: &Address, endpoint: &str) -> Option<Address> {
    let folder = base.uri().path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = address.uri().path();
    let is_below = path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if folder.is_empty() || is_below || !endpoint.starts_with('/') {
        return None;
    }
    address.at(&format!("{folder}{path}"), address.uri().query())
}

/// An event stream with the body that it is read from.
struct Stream {
    body: Body,
    events: Events,
}

impl Stream {
    /// Waits for the next event that says anything; nothing where the stream has ended.
    async fn next(&mut self) -> Result<Option<Said>, crate::http::adapter::BoxError> {
        loop {
            if let Some(said) = self.events.next() {
                return Ok(Some(said));
            }
            match self.body.chunk().await {
                Some(chunk) => self.events.push(&chunk?),
                None => return Ok(None),
            }
        }
    }
}

/// Hands on what the stream brings, to its end.
async fn read(mut stream: Stream, shared: Arc<Shared>) {
    let lost = TransportError::new(TransportFault::StreamLost, shared.endpoint.target());
    let lost = loop {
        match stream.next().await {
            Ok(Some(Said::Message(text))) => shared.dispatch.take_in(text.as_bytes()),
            Ok(Some(Said::TooLong(length, prefix))) => shared.dispatch.too_long(length, prefix.as_bytes()),
            Ok(Some(Said::Endpoint(_))) => {}
            Ok(None) => break lost,
            Err(error) => break lost.because(error),
        }
    };
    shared.dispatch.end(&lost);
}

/// What every exchange of a connection needs.
struct Shared {
    endpoint: Endpoint,
    limits: Limits,
    dispatch: Dispatch,
    post_to: Mutex<PostTo>,
}

impl Shared {
    /// Posts a message; returns the answer that is no acceptance.
    async fn post(&self, outbound: &Outbound) -> Result<Option<Inbound>, TransportError> {
        let (address, below_prefix) = {
            let mut post_to = self.post_to.lock().unwrap_or_else(PoisonError::into_inner);
            (post_to.address.clone(), post_to.below_prefix.take())
        };
        let (head, body) = self.post_at(address, outbound).await?;
        let (head, body) = match below_prefix {
            Some(address) if head.status == 404 => {
                drain(body).await;
                let second = self.post_at(address.clone(), outbound).await?;
                self.post_to.lock().unwrap_or_else(PoisonError::into_inner).address = address;
                second
            }
            _ => (head, body),
        };
        if head.is_success() {
            drain(body).await;
            return Ok(None);
        }
        let limits = (self.limits.message_bytes, self.limits.excerpt_bytes);
        Ok(Some(head.error(body, self.endpoint.secrets(), limits).await))
    }

    async fn post_at(&self, address: Address, outbound: &Outbound) -> Result<(Head, Body), TransportError> {
        let letter = request::post(&self.endpoint, address, outbound, None);
        let (response, _) = self.endpoint.send(letter).await?;
        let (parts, body) = response.into_parts();
        // The address that is posted to stands for the session.
        let standing = if outbound.is_opening { Standing::Outside } else { Standing::Within };
        Ok((Head::new(parts, standing, self.endpoint.has_credentials()), body))
    }

    async fn send(self: &Arc<Self>, outbound: Outbound) -> Result<Exchange, TransportError> {
        let Some(id) = outbound.id().cloned() else {
            return Ok(match self.post(&outbound).await? {
                Some(refusal) => Exchange::of(Some(refusal)),
                None => Exchange::delivered(),
            });
        };
        let slot = self.dispatch.open(id.clone(), outbound.is_opening)?;
        let cancellation = Cancellation::of(&outbound, self.clone());
        let shared = self.clone();
        let posting = Box::pin(async move { shared.post(&outbound).await });
        Ok(Exchange::new(SseExchange {
            shared: self.clone(),
            id,
            slot,
            cancellation,
            posting: Some(posting),
        }))
    }
}

impl Courier for Shared {
    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, ()> {
        Box::pin(async move { drop(self.post(&outbound).await) })
    }
}

/// One request: its POST, which may end after its answer came, and what the stream brings for it.
struct SseExchange {
    shared: Arc<Shared>,
    id: Id,
    slot: Arc<Slot>,
    cancellation: Cancellation,
    posting: Option<BoxFuture<'static, Result<Option<Inbound>, TransportError>>>,
}

impl SseExchange {
    /// Waits for what comes next, without the secrets that the server may have put into an error.
    async fn advance(&mut self) -> Option<Result<Inbound, TransportError>> {
        let next = self.wait().await?;
        Some(next.map(|inbound| self.shared.endpoint.secrets().clean(inbound)))
    }

    async fn wait(&mut self) -> Option<Result<Inbound, TransportError>> {
        if let Some(posting) = &mut self.posting {
            let posted = tokio::select! {
                biased;
                taken = self.slot.take() => return taken,
                posted = posting => posted,
            };
            self.posting = None;
            if let Some(refused) = posted.transpose() {
                self.shared.dispatch.withdraw(&self.id, &self.slot);
                self.slot.end(None);
                return Some(refused);
            }
        }
        self.slot.take().await
    }
}

impl Drop for SseExchange {
    fn drop(&mut self) {
        // What was answered or refused is not open any more, and not to be withdrawn at the server.
        if !self.shared.dispatch.withdraw(&self.id, &self.slot) {
            self.cancellation.disarm();
        }
    }
}

impl ExchangeSource for SseExchange {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
        Box::pin(self.advance())
    }
}

/// An open event stream, read by a task of its own.
struct SseConnection {
    shared: Arc<Shared>,
    reader: JoinHandle<()>,
}

impl Connection for SseConnection {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(self.shared.send(outbound))
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(self.shared.dispatch.unsolicited())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.reader.abort();
        self.shared.dispatch.end(&TransportError::new(TransportFault::Ended, self.shared.endpoint.target()));
        Box::pin(async {})
    }

    fn failure(&self) -> Option<TransportError> {
        self.shared.dispatch.failure()
    }
}

impl Drop for SseConnection {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Transport for HttpSse {
    fn binding(&self) -> Binding {
        Binding::Http
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async {
            let Some(longest) = self.endpoint_timeout else { return self.begin(limits).await };
            let begun = timeout(longest, self.begin(limits)).await;
            begun.unwrap_or_else(|_| Err(self.fault(TransportFault::NoEndpoint).because("none came in time")))
        })
    }

    fn target(&self) -> String {
        self.endpoint.target()
    }

    fn name(&self) -> &'static str {
        "http+sse"
    }

    fn is_legacy_only(&self) -> bool {
        true
    }

    fn key(&self) -> Option<String> {
        Some(self.endpoint.target())
    }
}

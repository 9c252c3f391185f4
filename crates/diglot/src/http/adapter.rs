//! The seam to the HTTP client: a [`HttpClient`] moves bytes, and every rule of the protocol lives elsewhere.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};

use crate::transport::BoxFuture;

/// Any error of an HTTP client or of a body.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// An error of an HTTP client that says that nothing of the request was sent, so that it can be sent again.
///
/// A connection that was kept for later may be gone when it is used. A client that notices before it writes says so by
/// this; every other error leaves open whether the server has acted, unless a cause in it tells.
#[derive(Debug)]
pub struct Unsent(BoxError);

impl Unsent {
    /// Wraps the error that tells why.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Unsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Unsent {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.0.as_ref())
    }
}

/// Sends one HTTP request and returns what came back: what a client of one's own implements.
///
/// A client moves bytes and nothing else, and the same rules then hold over it as over the stock one: statuses,
/// media types, sessions, redirects and event streams are read above it. So a client must not
///
/// - follow redirects: a request's headers must not go to another origin, and a redirect of a POST keeps its body;
/// - retry a request of which any byte was sent: the server may have acted on it;
/// - wait for the whole body, or decompress in blocks: an event counts when it comes;
/// - take an error status for an error: it is a response like any other;
/// - put a limit on the time until the body ends: a stream may stay open for days.
///
/// Dropping the returned future or the body closes the exchange, and over HTTP/1.1 its connection, since that is
/// how a request is cancelled.
///
/// ```
/// use bytes::Bytes;
/// use diglot::http::{Body, BoxError, HttpClient};
///
/// struct Logged<C>(C);
///
/// impl<C: HttpClient> HttpClient for Logged<C> {
///     async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
///         println!("{} {}", request.method(), request.uri().path());
///         let response = self.0.send(request).await?;
///         println!("{}", response.status());
///         Ok(response)
///     }
/// }
/// ```
pub trait HttpClient: Send + Sync + 'static {
    /// Sends a request and waits for the head of its response.
    ///
    /// The request's URI is absolute. An [`std::io::Error`] anywhere in the error's chain tells what failed, and
    /// [`Unsent`] around it that nothing had been sent.
    fn send(
        &self,
        request: ::http::Request<Bytes>,
    ) -> impl Future<Output = Result<::http::Response<Body>, BoxError>> + Send;
}

/// The object-safe mirror of [`HttpClient`].
trait DynHttpClient: Send + Sync {
    fn send(
        &self,
        request: ::http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<::http::Response<Body>, BoxError>>;
}

impl<C: HttpClient> DynHttpClient for C {
    fn send(
        &self,
        request: ::http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<::http::Response<Body>, BoxError>> {
        Box::pin(HttpClient::send(self, request))
    }
}

/// Any HTTP client, shared.
#[derive(Clone)]
pub(crate) struct AnyClient(Arc<dyn DynHttpClient>);

impl AnyClient {
    pub(crate) fn new(client: impl HttpClient) -> Self {
        Self(Arc::new(client))
    }

    pub(crate) fn send(
        &self,
        request: ::http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<::http::Response<Body>, BoxError>> {
        self.0.send(request)
    }
}

/// The body of a response, read chunk by chunk.
///
/// It is an [`http_body::Body`] too, so that a client that wraps another can pass it on.
pub struct Body {
    inner: UnsyncBoxBody<Bytes, BoxError>,
}

impl Body {
    /// Makes a body without content.
    pub fn empty() -> Self {
        Self::from(Bytes::new())
    }

    /// Makes a body of an HTTP library's own.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self { inner: body.map_err(Into::into).boxed_unsync() }
    }

    /// Waits for the next chunk; nothing where the body has ended.
    ///
    /// The future may be dropped at any time without losing a chunk.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, BoxError>> {
        std::future::poll_fn(|context| self.poll_chunk(context)).await
    }

    /// Returns the next chunk if it is there already.
    pub(super) fn chunk_at_hand(&mut self) -> Poll<Option<Result<Bytes, BoxError>>> {
        self.poll_chunk(&mut Context::from_waker(Waker::noop()))
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        loop {
            let frame = match Pin::new(&mut self.inner).poll_frame(context) {
                Poll::Ready(Some(frame)) => frame,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            };
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) if data.is_empty() => {}
                Ok(Ok(data)) => return Poll::Ready(Some(Ok(data))),
                // Trailers say nothing that the protocol knows.
                Ok(Err(_)) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::new(Full::new(bytes))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Bytes::from(bytes))
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Self::from(Bytes::from_static(text.as_bytes()))
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Body")
    }
}

//! HTTP/1.1 over a Unix socket, with a pool of connections.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::{Request, Response, Uri};
use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::UnixStream;
use tower_service::Service;

use crate::error::TransportError;
use crate::http::adapter::{AnyClient, Body, BoxError, HttpClient};
use crate::http::address::Address;
use crate::http::client::StreamableHttp;

/// How many connections wait for their next request at most.
const MOST_IDLE: usize = 8;

/// How long a connection waits for its next request.
const LONGEST_IDLE: Duration = Duration::from_secs(60);

/// An HTTP client whose every request goes to one Unix socket, whatever host it names; clones share connections.
#[derive(Clone)]
pub struct UnixSocket {
    client: Client<Connector, Full<Bytes>>,
}

impl UnixSocket {
    /// Makes a client of the socket at a path; nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path: Arc<Path> = path.into().into();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(LONGEST_IDLE)
            .pool_max_idle_per_host(MOST_IDLE)
            .build(Connector { path });
        Self { client }
    }
}

impl HttpClient for UnixSocket {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        let response = self.client.request(request.map(Full::new)).await?;
        Ok(response.map(Body::new))
    }
}

impl StreamableHttp {
    /// Reaches the server at a path of HTTP, such as `/mcp`, behind a Unix socket. Its `Host` is `localhost`.
    ///
    /// # Errors
    ///
    /// `BadAddress` if the path of HTTP has a character that it cannot have.
    pub fn unix(path: impl Into<PathBuf>, http_path: &str) -> Result<Self, TransportError> {
        let path = path.into();
        let slash = if http_path.starts_with('/') { "" } else { "/" };
        let address = Address::parse(&format!("http://localhost{slash}{http_path}"))?;
        let place = format!("unix://{}", path.display());
        Ok(Self::at(address, AnyClient::new(UnixSocket::new(path))).placed(place))
    }
}

#[derive(Clone)]
struct Connector {
    path: Arc<Path>,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<UnixStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<UnixStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let path = self.path.clone();
        Box::pin(async move { UnixStream::connect(&path).await.map(TokioIo::new) })
    }
}

impl std::fmt::Debug for UnixSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UnixSocket")
    }
}

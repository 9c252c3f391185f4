//! An HTTP client that goes straight to the servers of the tour, whatever proxy the environment names.

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient};
use http::{Request, Response};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The client; it moves bytes, and all rules of the protocol hold above it as they do over the stock one.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Direct {
    /// Makes a client.
    pub(super) fn new() -> Self {
        Self { client: Client::builder(TokioExecutor::new()).build_http() }
    }
}

impl HttpClient for Direct {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        Ok(self.client.request(request.map(Full::new)).await?.map(Body::new))
    }
}

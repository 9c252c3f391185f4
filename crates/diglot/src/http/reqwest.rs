//! The stock HTTP client: reqwest with rustls, set up to move bytes and do nothing else.
//!
//! It speaks HTTP/1.1 and 2, takes proxies from the environment (but never for this machine itself) and certificates
//! from the platform, and keeps connections for later. Redirects, cookies, compression and total time-outs are off.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::http::uri::Scheme;
use ::http::{Request, Response, Uri};
use bytes::Bytes;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::{AnyClient, Body, BoxError, HttpClient};
use crate::http::address::Address;
use crate::http::client::StreamableHttp;
use crate::http::fault::{Known, causes};
use crate::http::http_sse::HttpSse;

/// How long it may take to connect, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The HTTP client that is used where no other is given; clones share its connections.
#[derive(Clone, Debug)]
pub struct StockClient {
    client: ::reqwest::Client,
    /// For this machine itself, which no proxy of the environment reaches.
    direct: ::reqwest::Client,
}

impl StockClient {
    /// Sets up a client.
    ///
    /// # Errors
    ///
    /// `Client` if the platform does not let it be set up.
    pub fn new() -> Result<Self, TransportError> {
        let builder = || {
            ::reqwest::Client::builder()
                .tls_backend_preconfigured(tls())
                .redirect(::reqwest::redirect::Policy::none())
                .referer(false)
                .tcp_nodelay(true)
                .connect_timeout(CONNECT_TIMEOUT)
        };
        let build = |builder: ::reqwest::ClientBuilder| {
            builder.build().map_err(|error| {
                TransportError::new(TransportFault::Client, "any server").because(error.without_url())
            })
        };
        Ok(Self { client: build(builder())?, direct: build(builder().no_proxy())? })
    }
}

impl StreamableHttp {
    /// Reaches the server at an `http` or `https` address.
    ///
    /// # Errors
    ///
    /// `BadAddress` if the address is none, or carries credentials.
    pub fn new(url: &str) -> Result<Self, TransportError> {
        Ok(Self::at(Address::parse(url)?, AnyClient::new(StockClient::new()?)))
    }
}

impl HttpSse {
    /// Reaches the server whose event stream is at an `http` or `https` address.
    ///
    /// # Errors
    ///
    /// `BadAddress` if the address is none, or carries credentials.
    pub fn new(url: &str) -> Result<Self, TransportError> {
        Self::over(url, StockClient::new()?)
    }
}

impl HttpClient for StockClient {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        let is_https = request.uri().scheme() == Some(&Scheme::HTTPS);
        let client = if is_loopback(request.uri()) { &self.direct } else { &self.client };
        // The address of an error would show its query.
        let request = ::reqwest::Request::try_from(request).map_err(::reqwest::Error::without_url)?;
        match client.execute(request).await {
            Ok(response) => Ok(Response::<::reqwest::Body>::from(response).map(Body::new)),
            Err(error) => Err(known(error.without_url(), is_https)),
        }
    }
}

/// Tells whether an address is this machine's own by its name.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Says what only this client knows of its errors: that TLS failed, or that nothing was sent.
fn known(error: ::reqwest::Error, is_https: bool) -> BoxError {
    let in_tls = |cause: &(dyn std::error::Error + 'static)| {
        let cut_off = cause.downcast_ref::<io::Error>().is_some_and(|error| {
            matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
        });
        cause.is::<rustls::Error>() || (is_https && error.is_connect() && cut_off)
    };
    let fault = if causes(&error).any(in_tls) {
        TransportFault::Tls
    } else if error.is_connect() && error.is_timeout() {
        TransportFault::Refused
    } else {
        return error.into();
    };
    Box::new(Known { fault, sent: false, error: error.into() })
}

/// Returns the TLS settings: the platform's certificates, and ring without making it the process's default.
///
/// The certificates are loaded once in a process.
fn tls() -> ClientConfig {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    CONFIG.get_or_init(tls_config).clone()
}

fn tls_config() -> ClientConfig {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("ring has suites for every default version");
    let builder = match Verifier::new(provider) {
        Ok(verifier) => builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)),
        Err(error) => {
            // A machine without certificates can still reach plain addresses.
            tracing::warn!(%error, "the platform has no certificates, so no https server can be trusted");
            builder.with_root_certificates(RootCertStore::empty())
        }
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_itself_is_told_by_name() {
        for (text, expected) in [
            ("http://localhost:1/mcp", true),
            ("http://LOCALHOST/", true),
            ("http://127.8.9.1/", true),
            ("http://[::1]:80/", true),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
            ("http://[::2]/", false),
        ] {
            assert_eq!(is_loopback(&text.parse().unwrap()), expected, "{text}");
        }
    }
}

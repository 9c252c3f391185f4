//! One address of a server with the client that reaches it and the headers that a user wants on every request.
//!
//! Both HTTP transports share it. It follows the redirects that keep a request what it is, and no others.

use std::sync::Arc;

use ::http::header::{ACCEPT_ENCODING, AUTHORIZATION, LOCATION};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use bytes::Bytes;
use diglot_proto::http::headers::{BadHeader, check};

use crate::error::{RedirectReason, TransportError, TransportFault};
use crate::http::adapter::{AnyClient, Body};
use crate::http::address::{Address, Resolved};
use crate::http::drain::drain;
use crate::http::fault;
use crate::http::secrets::Secrets;

/// How many redirects in a row are followed.
const MOST_REDIRECTS: usize = 5;

/// What requests need beside their own words.
#[derive(Clone)]
pub(crate) struct Endpoint {
    client: AnyClient,
    address: Address,
    /// The server as people see it, where that is not its address.
    place: Option<Arc<str>>,
    headers: HeaderMap,
    secrets: Secrets,
}

/// One request, kept so that it can be sent again elsewhere.
pub(super) struct Letter {
    pub(super) method: Method,
    pub(super) address: Address,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Endpoint {
    pub(super) fn new(client: AnyClient, address: Address) -> Self {
        Self { client, address, place: None, headers: HeaderMap::new(), secrets: Secrets::default() }
    }

    /// Names the server to people in another way than by its address.
    #[cfg(unix)]
    pub(super) fn placed(mut self, place: String) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Adds a header to every request; the last value of a name counts.
    pub(super) fn header(&mut self, name: &str, value: &str) -> Result<(), TransportError> {
        let refused = |bad: BadHeader| TransportError::new(TransportFault::BadHeader(bad), self.target());
        // Beyond ASCII a value is sent as its UTF-8, which servers read more often than any encoding of it.
        let ascii: String = value.chars().filter(char::is_ascii).collect();
        check(name, &ascii).map_err(refused)?;
        let parsed = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
        let (Ok(name), Ok(mut value)) = parsed else {
            return Err(TransportError::new(TransportFault::Client, self.target()));
        };
        value.set_sensitive(true);
        self.secrets.add(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        self.headers.insert(name, value);
        Ok(())
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Names the server to people.
    pub(super) fn target(&self) -> String {
        match &self.place {
            Some(place) => place.as_ref().to_owned(),
            None => self.address.to_string(),
        }
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Tells whether requests carry credentials, going by the names of their headers.
    pub(super) fn has_credentials(&self) -> bool {
        self.headers.keys().any(|name| {
            let name = name.as_str();
            name == AUTHORIZATION || name == "cookie" || name.ends_with("key") || name.ends_with("token")
        })
    }

    /// Begins the headers of a request: the user's, and none that could compress the answer.
    pub(super) fn base_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.reserve(8);
        // A compressed stream of events is held back until its block is full.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers
    }

    /// Sends a request and waits for the head of its response, after the redirects; returns where it came from too.
    pub(super) async fn send(&self, mut letter: Letter) -> Result<(Response<Body>, Address), TransportError> {
        let mut status = 0;
        for _ in 0..=MOST_REDIRECTS {
            let response = self.client.send(letter.request()).await;
            let response = response.map_err(|error| fault::of_request(error, &self.target()))?;
            status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok((response, letter.address));
            }
            let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
            match next(&letter, status, location) {
                Ok(address) => letter.address = address,
                Err((location, reason)) => return Err(self.redirected(status, &location, reason)),
            }
            drain(response.into_body()).await;
        }
        Err(self.redirected(status, &letter.address.to_string(), RedirectReason::TooMany))
    }

    fn redirected(&self, status: u16, location: &str, reason: RedirectReason) -> TransportError {
        let location = self.secrets.cut(location);
        TransportError::new(TransportFault::Redirect { location, reason }, self.target()).status(status)
    }
}

impl Letter {
    fn request(&self) -> Request<Bytes> {
        let mut request = Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.address.uri().clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

/// Decides where a redirect leads, or why it is not followed (rule 4 of the negotiation).
fn next(letter: &Letter, status: u16, location: Option<&[u8]>) -> Result<Address, (String, RedirectReason)> {
    let resolved = match location {
        Some(location) if !location.is_empty() => letter.address.resolve(location),
        _ => Resolved::Nowhere(String::new()),
    };
    match resolved {
        Resolved::Elsewhere(shown) => Err((shown, RedirectReason::OtherOrigin)),
        Resolved::Nowhere(shown) => Err((shown, RedirectReason::NoTarget)),
        Resolved::Here(address) if letter.method == Method::POST && status < 307 => {
            Err((address.to_string(), RedirectReason::LosesTheBody))
        }
        Resolved::Here(address) => Ok(address),
    }
}

// A header's value may be a secret, and a query may hold a key.
impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("Endpoint").field("target", &self.target()).field("headers", &headers).finish()
    }
}

//! An HTTP client that passes everything on and records every exchange.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient};
use http::{HeaderMap, Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use serde::Serialize;
use serde_json::{Map, Value};

use super::redact::{CUT, is_shown_request_header, is_shown_response_header, shortened, without_query};
use super::{Dir, Trace};

/// The longest beginning of a body that is kept, in bytes.
const EXCERPT: usize = 4 * 1024;

/// Any HTTP client, recorded where there is a trace.
pub(crate) struct Recorded<C> {
    inner: C,
    trace: Option<Trace>,
}

impl<C> Recorded<C> {
    /// Wraps a client.
    pub(crate) fn new(inner: C, trace: Option<Trace>) -> Self {
        Self { inner, trace }
    }
}

impl<C: HttpClient> HttpClient for Recorded<C> {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        let Some(trace) = &self.trace else { return self.inner.send(request).await };
        let exchange = trace.next_exchange();
        trace.request(exchange, &request);
        match self.inner.send(request).await {
            Ok(response) => {
                trace.head(exchange, &response);
                Ok(response.map(|body| Body::new(Heard::new(body, trace.clone(), exchange))))
            }
            Err(error) => {
                trace.failure(exchange, &error.to_string());
                Err(error)
            }
        }
    }
}

/// What a line says of an HTTP exchange: the parts that it has.
#[derive(Default, Serialize)]
struct Event {
    exchange: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Trace {
    fn request(&self, exchange: u64, request: &Request<Bytes>) {
        let event = Event {
            exchange,
            method: Some(request.method().to_string()),
            url: Some(self.excerpt(without_query(&request.uri().to_string()).as_bytes(), EXCERPT)),
            headers: Some(self.headers(request.headers(), is_shown_request_header)),
            excerpt: Some(self.excerpt(request.body(), EXCERPT)),
            bytes: Some(request.body().len()),
            ..Event::default()
        };
        self.write(Dir::Out, "http-request", event);
    }

    fn head<B>(&self, exchange: u64, response: &Response<B>) {
        let event = Event {
            exchange,
            status: Some(response.status().as_u16()),
            headers: Some(self.headers(response.headers(), is_shown_response_header)),
            ..Event::default()
        };
        self.write(Dir::In, "http-response", event);
    }

    fn body(&self, exchange: u64, excerpt: &[u8], bytes: usize) {
        let excerpt = Some(self.excerpt(excerpt, EXCERPT));
        self.write(
            Dir::In,
            "http-response",
            Event { exchange, excerpt, bytes: Some(bytes), ..Event::default() },
        );
    }

    fn failure(&self, exchange: u64, error: &str) {
        let error = Some(self.excerpt(error.as_bytes(), EXCERPT));
        self.write(Dir::In, "http-response", Event { exchange, error, ..Event::default() });
    }

    fn headers(&self, headers: &HeaderMap, is_shown: fn(&str) -> bool) -> Map<String, Value> {
        let shown = headers.iter().map(|(name, value)| {
            let text = String::from_utf8_lossy(value.as_bytes());
            let text = match name.as_str() {
                "mcp-session-id" => shortened(&text),
                "location" => self.excerpt(without_query(&text).as_bytes(), EXCERPT),
                name if is_shown(name) => self.excerpt(value.as_bytes(), EXCERPT),
                _ => CUT.to_owned(),
            };
            (name.to_string(), Value::String(text))
        });
        shown.collect()
    }
}

/// A body that is passed on chunk by chunk, its beginning kept; its end, or its loss, writes the line.
struct Heard {
    inner: Body,
    trace: Trace,
    exchange: u64,
    excerpt: Vec<u8>,
    bytes: usize,
}

impl Heard {
    fn new(inner: Body, trace: Trace, exchange: u64) -> Self {
        Self { inner, trace, exchange, excerpt: Vec::new(), bytes: 0 }
    }

    fn hear(&mut self, chunk: &[u8]) {
        // A little more than is shown, so that a secret on the edge is still recognised.
        let room = (2 * EXCERPT).saturating_sub(self.excerpt.len());
        self.excerpt.extend(chunk.iter().take(room));
        self.bytes += chunk.len();
    }
}

impl HttpBody for Heard {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(chunk) = frame.data_ref()
        {
            self.hear(chunk);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        self.trace.body(self.exchange, &self.excerpt, self.bytes);
    }
}

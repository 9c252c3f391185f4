//! An HTTP client in memory that plays the server too, so that the clock can be paused.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient};
use http_body::Frame;
use serde_json::Value;

type Script = dyn Fn(&http::Request<Bytes>) -> http::Response<Body> + Send + Sync;

/// An HTTP client that answers by a function.
#[derive(Clone)]
pub(crate) struct Played(Arc<Script>);

impl Played {
    pub(crate) fn new(
        script: impl Fn(&http::Request<Bytes>) -> http::Response<Body> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(script))
    }
}

impl HttpClient for Played {
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
        Ok((self.0)(&request))
    }
}

/// Reads the message of a request; null where it has none.
pub(crate) fn message(request: &http::Request<Bytes>) -> Value {
    serde_json::from_slice(request.body()).unwrap_or_default()
}

/// Answers with a status and nothing else.
pub(crate) fn status(status: u16) -> http::Response<Body> {
    http::Response::builder().status(status).body(Body::empty()).unwrap()
}

/// Answers with a message.
pub(crate) fn json(message: &Value) -> http::Response<Body> {
    let body = Body::from(message.to_string().into_bytes());
    http::Response::builder().header("content-type", "application/json").body(body).unwrap()
}

/// Answers with a stream that says this, and then ends or goes on without a word.
pub(crate) fn stream(text: impl Into<Bytes>, ends: bool) -> http::Response<Body> {
    let body = Body::new(Said { text: Some(text.into()), ends });
    http::Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}

/// Writes a message as an event.
pub(crate) fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

struct Said {
    text: Option<Bytes>,
    ends: bool,
}

impl http_body::Body for Said {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.text.take() {
            Some(text) => Poll::Ready(Some(Ok(Frame::data(text)))),
            None if self.ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

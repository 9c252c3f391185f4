//! The HTTP of the tour: a request goes straight to a server in this process, with no socket in between.
//!
//! That is the seam for HTTP clients of one's own, so all rules of the protocol hold above it.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient, HttpService};
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use serde_json::Value;
use tower_service::Service;

use super::script::{Answer, Stage};

/// One server, as an HTTP client that reaches nothing else.
pub(super) enum InProcess {
    /// A server that the SDK makes.
    Sound(HttpService),
    /// A scripted one.
    Scripted(Arc<Stage>),
}

impl HttpClient for InProcess {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, BoxError> {
        match self {
            Self::Sound(service) => Ok(service.clone().call(request.map(Body::from)).await?),
            Self::Scripted(stage) => perform(stage, &request).await,
        }
    }
}

/// Has a scripted server answer a request.
async fn perform(stage: &Stage, request: &Request<Bytes>) -> Result<Response<Body>, BoxError> {
    if request.method() != Method::POST {
        return respond(StatusCode::METHOD_NOT_ALLOWED.as_u16(), "text/plain", None, String::new());
    }
    let Ok(message) = serde_json::from_slice::<Value>(request.body()) else {
        return respond(StatusCode::BAD_REQUEST.as_u16(), "text/plain", None, String::new());
    };
    match stage.hear(&message) {
        Answer::Message(status, message) => respond(status, "application/json", None, message.to_string()),
        Answer::Body { status, content_type, challenge, body } => {
            respond(status, content_type, challenge, body)
        }
        Answer::Accepted => respond(StatusCode::ACCEPTED.as_u16(), "text/plain", None, String::new()),
        Answer::Silence => std::future::pending().await,
        Answer::Close => Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
    }
}

fn respond(
    status: u16,
    content_type: &'static str,
    challenge: Option<&'static str>,
    body: String,
) -> Result<Response<Body>, BoxError> {
    let response = Response::builder().status(status).header(CONTENT_TYPE, content_type);
    let response = match challenge {
        Some(challenge) => response.header(WWW_AUTHENTICATE, challenge),
        None => response,
    };
    Ok(response.body(Body::from(body.into_bytes()))?)
}

//! How a response is written: a status, a type, and a body that is JSON or nothing.

use diglot_proto::jsonrpc::{Id, RpcError, codes, write_error};
use diglot_proto::lifecycle::classify::Rejection;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use crate::http::adapter::Body;

/// The response of the MCP endpoint.
pub(super) type Reply = Response<Body>;

/// Answers with JSON that is written already.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut reply = Response::new(Body::from(body));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// Answers without a body.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = status;
    reply
}

/// Answers with an event stream.
pub(super) fn event_stream(body: Body) -> Reply {
    let mut reply = Response::new(body);
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Asks proxies not to hold events back.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}

/// Refuses with an error of the protocol.
pub(super) fn error(status: StatusCode, id: Option<&Id>, error: &RpcError) -> Reply {
    json(status, write_error(id, error))
}

/// Refuses a request that is none, in the words of the protocol.
pub(super) fn invalid(status: StatusCode, id: Option<&Id>, what: impl Into<String>) -> Reply {
    error(status, id, &RpcError::new(codes::INVALID_REQUEST, what))
}

/// Refuses as classification says.
pub(super) fn rejected(rejection: &Rejection) -> Reply {
    let status = StatusCode::from_u16(rejection.status).unwrap_or(StatusCode::BAD_REQUEST);
    json(status, rejection.body())
}

/// Refuses a method of HTTP.
pub(super) fn not_allowed(allow: &'static str) -> Reply {
    let what = format!("Method not allowed: this endpoint takes {allow}");
    let mut reply = invalid(StatusCode::METHOD_NOT_ALLOWED, None, what);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    reply
}

/// Refuses a client that accepts none of what could be answered.
pub(super) fn not_acceptable(id: Option<&Id>, what: &'static str) -> Reply {
    invalid(StatusCode::NOT_ACCEPTABLE, id, format!("Not Acceptable: {what}"))
}

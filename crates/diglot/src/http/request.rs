//! The headers of a message on its way out: which ones the era and the moment demand.

use ::http::header::{ACCEPT, CONTENT_TYPE};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method};
use diglot_proto::http::headers::{LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION_ID, encode_value};
use diglot_proto::version::{Era, Revision};

use crate::http::address::Address;
use crate::http::endpoint::{Endpoint, Letter};
use crate::http::session::SessionId;
use crate::transport::Outbound;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Prepares the POST of a message.
pub(super) fn post(
    endpoint: &Endpoint,
    address: Address,
    outbound: &Outbound,
    session: Option<SessionId>,
) -> Letter {
    let mut headers = endpoint.base_headers();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(ACCEPT, JSON_OR_EVENTS);
    match outbound.revision {
        Some(revision) if revision.era() == Era::Modern => modern(&mut headers, outbound, revision),
        revision => legacy(&mut headers, outbound, revision, session),
    }
    Letter { method: Method::POST, address, headers, body: outbound.bytes.clone() }
}

/// Prepares the GET of an event stream.
pub(super) fn get(endpoint: &Endpoint) -> Letter {
    let mut headers = endpoint.base_headers();
    headers.insert(ACCEPT, EVENTS);
    let address = endpoint.address().clone();
    Letter { method: Method::GET, address, headers, body: bytes::Bytes::new() }
}

/// Prepares the GET of a stream in a session, after the last event that came of it.
pub(super) fn stream(
    endpoint: &Endpoint,
    session: Option<SessionId>,
    revision: Option<Revision>,
    last_event_id: Option<&str>,
) -> Letter {
    let mut letter = get(endpoint);
    if let Some(session) = session {
        letter.headers.insert(SESSION_ID, session.into());
    }
    version(&mut letter.headers, revision);
    match last_event_id.map(|id| HeaderValue::from_bytes(id.as_bytes())) {
        Some(Ok(id)) => drop(letter.headers.insert(LAST_EVENT_ID, id)),
        Some(Err(_)) => tracing::debug!("the id of the last event cannot be sent back"),
        None => {}
    }
    letter
}

/// Prepares the DELETE of a session.
pub(super) fn delete(endpoint: &Endpoint, session: SessionId, revision: Option<Revision>) -> Letter {
    let mut headers = endpoint.base_headers();
    headers.insert(SESSION_ID, session.into());
    version(&mut headers, revision);
    let address = endpoint.address().clone();
    Letter { method: Method::DELETE, address, headers, body: bytes::Bytes::new() }
}

fn modern(headers: &mut HeaderMap, outbound: &Outbound, revision: Revision) {
    headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
    mirror(headers, METHOD, &encode_value(&outbound.method));
    if let Some(name) = &outbound.name {
        mirror(headers, NAME, &encode_value(name));
    }
    for (name, value) in &outbound.param_headers {
        mirror(headers, name, value);
    }
}

fn mirror(headers: &mut HeaderMap, name: &str, value: &str) {
    let header = HeaderName::from_bytes(name.as_bytes()).ok();
    let value = HeaderValue::from_str(value).ok();
    match header.zip(value) {
        Some((name, value)) => drop(headers.insert(name, value)),
        // The tool that asks for such a header is invalid, and its server knows best what to answer.
        None => tracing::debug!(name, "a header that mirrors the message cannot be sent"),
    }
}

fn legacy(
    headers: &mut HeaderMap,
    outbound: &Outbound,
    revision: Option<Revision>,
    session: Option<SessionId>,
) {
    if outbound.is_opening {
        return;
    }
    if let Some(session) = session {
        headers.insert(SESSION_ID, session.into());
    }
    version(headers, revision);
}

fn version(headers: &mut HeaderMap, revision: Option<Revision>) {
    if let Some(revision) = revision.filter(|revision| revision.has_version_header()) {
        headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
    }
}

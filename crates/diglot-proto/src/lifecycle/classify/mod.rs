//! What one inbound message is to a server: which era it belongs to, or why it is refused.
//!
//! Each message is judged alone, by itself, its HTTP head and what the server offers. A request that carries the envelope
//! is modern whatever came before it on the same wire; there is no first message. The order of the checks: the envelope
//! names a version, the header names the same one, the server has it, the envelope is whole, the other headers mirror
//! the body, the revision has the method.

mod batch;
mod head;
mod legacy;
mod modern;
mod offer;
mod rejection;
mod verb;

use crate::jsonrpc::{Message, Notification, Request, Response};
use crate::method::{Kind, Method};
use crate::version::{Era, Revision};

pub use batch::{admit_batch, classify_in_batch};
pub use head::Head;
pub use legacy::LegacyRequest;
pub use modern::ModernRequest;
pub use offer::Offer;
pub use rejection::{MAX_REQUESTED, Refused, Rejection};
pub use verb::{Verb, verb};

/// Says what a message is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inbound<'a> {
    /// A request with the envelope, whole and consistent, of a method that its revision has.
    Modern(ModernRequest<'a>),
    /// A request without the envelope, which a legacy session is to answer.
    Legacy(LegacyRequest<'a>),
    /// A notification, of either era.
    Notification(InboundNotification<'a>),
    /// The answer of a legacy client to a request of the server.
    Response(&'a Response<'a>),
    /// A message that is refused.
    Rejected(Rejection),
}

/// Holds a notification.
#[derive(Debug)]
#[non_exhaustive]
pub struct InboundNotification<'a> {
    /// The message.
    pub notification: &'a Notification<'a>,
    /// The method, or `None` where no revision on offer has it for clients; such a notification is passed over.
    pub method: Option<Method>,
    /// What the HTTP header says; the method alone rarely tells the era.
    pub revision: Option<Revision>,
}

/// Says what a message is to a server.
///
/// `head` is that of the HTTP request, or `None` on a pipe. A good request costs no allocation.
///
/// A request is modern if it carries a key of the envelope, or a modern `MCP-Protocol-Version`, or has a method that only
/// the modern era has; `initialize` without an envelope is legacy whatever its headers say. A server without the modern
/// era takes every message as legacy, as one that has never heard of another era would.
pub fn classify<'a>(message: &'a Message<'a>, head: Option<&Head<'a>>, offer: &Offer<'_>) -> Inbound<'a> {
    let classified = match message {
        Message::Request(request) => {
            self::request(request, head, offer).map_err(|refused| refused.of(request.id.clone()))
        }
        Message::Notification(notification) => {
            self::notification(notification, head, offer).map_err(Rejection::from)
        }
        Message::Response(response) => self::response(response, head, offer).map_err(Rejection::from),
    };
    classified.unwrap_or_else(Inbound::Rejected)
}

fn request<'a>(
    request: &'a Request<'a>,
    head: Option<&Head<'a>>,
    offer: &Offer<'_>,
) -> Result<Inbound<'a>, Refused> {
    if !request.versioned {
        return Err(Refused::unversioned());
    }
    let facts = modern::Facts::read(request);
    let method = Method::parse(&request.method);
    if offer.modern && facts.are_modern(method, head) {
        return modern::request(request, method, facts, head, offer).map(Inbound::Modern);
    }
    legacy::request(request, method, head, offer).map(Inbound::Legacy)
}

fn notification<'a>(
    notification: &'a Notification<'a>,
    head: Option<&Head<'a>>,
    offer: &Offer<'_>,
) -> Result<Inbound<'a>, Refused> {
    let revision = legacy::stated(head, offer)?;
    let is_theirs = |method: &Method| {
        method.kind() == Kind::Notification
            && offer.has_method(*method, |own| revision.is_none_or(|stated| stated == own))
    };
    let method = Method::parse(&notification.method).filter(is_theirs);
    Ok(Inbound::Notification(InboundNotification { notification, method, revision }))
}

/// Takes a response; over HTTP the modern era has none, and on a pipe one that nobody waits for is dropped anyway.
fn response<'a>(
    response: &'a Response<'a>,
    head: Option<&Head<'a>>,
    offer: &Offer<'_>,
) -> Result<Inbound<'a>, Refused> {
    let is_modern = legacy::stated(head, offer)?.is_some_and(|revision| revision.era() == Era::Modern);
    if head.is_some() && (is_modern || !offer.is_legacy()) {
        return Err(Refused::response());
    }
    Ok(Inbound::Response(response))
}

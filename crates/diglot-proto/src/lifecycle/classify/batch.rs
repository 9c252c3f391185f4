//! Batches, which only revision 2025-03-26 has.

use super::{Head, Inbound, Offer, Refused, Rejection, classify};
use crate::http::mirror::Field;
use crate::jsonrpc::Message;
use crate::method::Method;
use crate::version::Revision;

/// Says whether a server takes a batch.
///
/// Over HTTP the header must state revision 2025-03-26 or nothing. On a pipe, and without the header, the session must
/// have agreed on that revision, which is for the caller to check.
///
/// # Errors
///
/// A [`Rejection`] of the whole batch.
pub fn admit_batch(head: Option<&Head<'_>>, offer: &Offer<'_>) -> Result<(), Rejection> {
    let is_stated = match head.map(|head| head.protocol_version) {
        None | Some(Field::Absent) => true,
        Some(Field::One(version)) => version == Revision::V2025_03_26.as_str(),
        Some(Field::Many | Field::Malformed) => false,
    };
    match is_stated && offer.has(Revision::V2025_03_26) {
        true => Ok(()),
        false => Err(Refused::batch("a batch is not accepted here; send each message alone").into()),
    }
}

/// Says what a message of an admitted batch is to a server, as [`classify`] does for one that stands alone.
///
/// A modern request and `initialize` cannot be part of a batch.
pub fn classify_in_batch<'a>(
    message: &'a Message<'a>,
    head: Option<&Head<'a>>,
    offer: &Offer<'_>,
) -> Inbound<'a> {
    let (request, what) = match classify(message, head, offer) {
        Inbound::Modern(modern) => (modern.request, "a batch cannot carry a request of the modern era"),
        Inbound::Legacy(legacy) if legacy.method == Some(Method::Initialize) => {
            (legacy.request, "`initialize` cannot be part of a batch")
        }
        other => return other,
    };
    Inbound::Rejected(Refused::batch(what).of(request.id.clone()))
}

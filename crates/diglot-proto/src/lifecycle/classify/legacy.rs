//! Requests of the legacy era: only the version that their header states is looked at here.

use super::{Head, Offer, Refused};
use crate::http::mirror::Field;
use crate::jsonrpc::{Request, peek};
use crate::meta::PROTOCOL_VERSION;
use crate::method::{Kind, Method};
use crate::version::{Era, Revision};

const HEADER: &str = "MCP-Protocol-Version";

/// Holds a request that a legacy session is to answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct LegacyRequest<'a> {
    /// The message.
    pub request: &'a Request<'a>,
    /// The method, or `None` where none of the legacy revisions that come into question has it for clients.
    pub method: Option<Method>,
    /// What the HTTP header says, a revision that the server has; never for `initialize`, which names its own.
    pub revision: Option<Revision>,
}

impl LegacyRequest<'_> {
    /// Returns the revision to go by where no session knows better.
    ///
    /// The header came after 2025-03-26, so that a request without it is taken to be of that revision.
    pub fn assumed_revision(&self) -> Revision {
        self.revision.unwrap_or(Revision::V2025_03_26)
    }
}

pub(super) fn request<'a>(
    request: &'a Request<'a>,
    method: Option<Method>,
    head: Option<&Head<'_>>,
    offer: &Offer<'_>,
) -> Result<LegacyRequest<'a>, Refused> {
    let is_initialize = method == Some(Method::Initialize);
    if !offer.is_legacy() {
        return Err(modern_only(request, is_initialize, head, offer));
    }
    // Clients send all sorts of versions with `initialize`; what counts is the one in its parameters.
    let revision = if is_initialize { None } else { stated(head, offer)? };
    let fits = |own: Revision| own.era() == Era::Legacy && revision.is_none_or(|stated| stated == own);
    let is_theirs = |method: &Method| method.kind() == Kind::Request && offer.has_method(*method, fits);
    Ok(LegacyRequest { request, method: method.filter(is_theirs), revision })
}

/// Refuses a request without an envelope where there is no legacy era.
///
/// If it names a version, that is what is wrong. A legacy client can but show the message to its user, so that the message
/// lists what the server has.
fn modern_only(
    request: &Request<'_>,
    is_initialize: bool,
    head: Option<&Head<'_>>,
    offer: &Offer<'_>,
) -> Refused {
    let in_header = match head {
        Some(Head { protocol_version: Field::One(version), .. }) => Some(*version),
        _ => None,
    };
    if is_initialize {
        let params = request.params.as_deref();
        let in_body = params.and_then(|params| peek::text(peek::member(params, "protocolVersion")?));
        return Refused::unsupported_version(in_body.as_deref().or(in_header).unwrap_or_default(), offer);
    }
    match in_header {
        Some(version) => Refused::unsupported_version(version, offer),
        None => Refused::bare(PROTOCOL_VERSION, offer),
    }
}

/// Returns the revision that the header states, of those that the server has.
pub(super) fn stated(head: Option<&Head<'_>>, offer: &Offer<'_>) -> Result<Option<Revision>, Refused> {
    let Some(head) = head else { return Ok(None) };
    let word = head.protocol_version.value(HEADER).map_err(|mismatch| match offer.is_legacy() {
        true => Refused::legacy_header(&mismatch),
        false => mismatch.into(),
    })?;
    word.map(|word| known(word, offer)).transpose()
}

fn known(word: &str, offer: &Offer<'_>) -> Result<Revision, Refused> {
    let revision = word.parse().ok().filter(|revision| offer.has(*revision));
    revision.ok_or_else(|| match offer.is_legacy() {
        true => Refused::unsupported_legacy_version(word, offer),
        false => Refused::unsupported_version(word, offer),
    })
}

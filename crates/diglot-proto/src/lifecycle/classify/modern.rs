//! Requests of the modern era: the envelope, the headers that mirror the body, and the method.

use std::borrow::Cow;

use super::{Head, Offer, Refused};
use crate::http::headers::mirrored_member;
use crate::http::mirror::Field;
use crate::jsonrpc::{Request, peek};
use crate::meta::{CLIENT_CAPABILITIES, PROGRESS_TOKEN, PROTOCOL_VERSION, RequestMeta};
use crate::method::{Kind, Method};
use crate::version::{Era, Revision};

/// Holds a modern request that may be answered.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModernRequest<'a> {
    /// The message.
    pub request: &'a Request<'a>,
    /// The method, or `None` where it is one of [`Offer::methods`].
    pub method: Option<Method>,
    /// The revision, which the server has.
    pub revision: Revision,
    /// The envelope; the version and the capabilities are there, and nothing has a wrong type.
    pub envelope: RequestMeta<'a>,
    /// What the request is about, as `Mcp-Name` mirrors it: the name of a tool or prompt, the URI of a resource, the id
    /// of a task. `None` for other methods, and where the parameters lack it.
    pub name: Option<Cow<'a, str>>,
}

/// What the parameters of a request say about its era, read in one pass.
pub(super) struct Facts<'a> {
    envelope: RequestMeta<'a>,
    name: Option<Cow<'a, str>>,
    /// Whether the parameters are an object or absent.
    is_object: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn read(request: &'a Request<'a>) -> Self {
        let Some(params) = request.params.as_deref() else {
            return Self { envelope: RequestMeta::default(), name: None, is_object: true };
        };
        let member = mirrored_member(&request.method);
        let Ok([meta, name]) = peek::members(params.get(), &["_meta", member.unwrap_or_default()]) else {
            return Self { envelope: RequestMeta::default(), name: None, is_object: false };
        };
        let name = name.filter(|_| member.is_some()).and_then(peek::text);
        Self { envelope: meta.map(RequestMeta::read_meta).unwrap_or_default(), name, is_object: true }
    }

    /// Says whether the request is recognisably modern, be it well-formed or not.
    pub(super) fn are_modern(&self, method: Option<Method>, head: Option<&Head<'_>>) -> bool {
        if self.has_envelope() {
            return true;
        }
        if method == Some(Method::Initialize) {
            return false;
        }
        let is_modern =
            |word: &str| word.parse().is_ok_and(|revision: Revision| revision.era() == Era::Modern);
        let by_header =
            matches!(head, Some(Head { protocol_version: Field::One(word), .. }) if is_modern(word));
        by_header || method.is_some_and(is_only_modern)
    }

    fn has_envelope(&self) -> bool {
        let envelope = &self.envelope;
        envelope.protocol_version.is_some()
            || envelope.client_info.is_some()
            || envelope.client_capabilities.is_some()
            || envelope.log_level.is_some()
            // A key of the envelope with a value of the wrong type.
            || envelope.odd.is_some_and(|key| key != "_meta" && key != PROGRESS_TOKEN)
    }
}

/// Says whether no legacy revision has the method.
fn is_only_modern(method: Method) -> bool {
    Revision::ALL
        .iter()
        .all(|revision| revision.era() == Era::Modern || method.direction(*revision).is_none())
}

pub(super) fn request<'a>(
    request: &'a Request<'a>,
    method: Option<Method>,
    facts: Facts<'a>,
    head: Option<&Head<'_>>,
    offer: &Offer<'_>,
) -> Result<ModernRequest<'a>, Refused> {
    let Facts { envelope, name, is_object } = facts;
    if !is_object {
        return Err(Refused::invalid_params("the parameters are no object"));
    }
    let revision = revision(&envelope, head, offer)?;
    whole(&envelope)?;
    if let Some(head) = head {
        head.method.must_be("Mcp-Method", &request.method)?;
        if mirrored_member(&request.method).is_some() {
            head.name.must_encode("Mcp-Name", name.as_deref())?;
        }
    }
    let is_known = match method {
        Some(method) => {
            method.kind() == Kind::Request && method.direction(revision).is_some_and(|way| way.is_to_server())
        }
        None => offer.methods.contains(&&*request.method),
    };
    match is_known {
        true => Ok(ModernRequest { request, method, revision, envelope, name }),
        false => Err(Refused::method_not_found(&request.method)),
    }
}

/// Reads the version, first of the envelope, since another version may have other rules for all that follows.
fn revision(
    envelope: &RequestMeta<'_>,
    head: Option<&Head<'_>>,
    offer: &Offer<'_>,
) -> Result<Revision, Refused> {
    let Some(version) = envelope.protocol_version.as_deref() else {
        return Err(match envelope.odd {
            Some(key @ (PROTOCOL_VERSION | "_meta")) => wrong_type(key),
            _ => missing(PROTOCOL_VERSION),
        });
    };
    if let Some(head) = head {
        head.protocol_version.must_be("MCP-Protocol-Version", version)?;
    }
    let is_served = |revision: &Revision| revision.era() == Era::Modern && offer.has(*revision);
    let revision = version.parse().ok().filter(is_served);
    revision.ok_or_else(|| Refused::unsupported_version(version, offer))
}

/// Checks the rest of the envelope.
fn whole(envelope: &RequestMeta<'_>) -> Result<(), Refused> {
    match (envelope.odd, envelope.client_capabilities) {
        (Some(key), _) => Err(wrong_type(key)),
        (None, None) => Err(missing(CLIENT_CAPABILITIES)),
        (None, Some(_)) => Ok(()),
    }
}

fn missing(key: &str) -> Refused {
    Refused::invalid_params(&format!("`{key}` is missing in `_meta`"))
}

fn wrong_type(key: &str) -> Refused {
    Refused::invalid_params(&match key {
        "_meta" => "`_meta` is no object".to_owned(),
        key => format!("`{key}` in `_meta` has a value of the wrong type"),
    })
}

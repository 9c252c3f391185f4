//! The answer to `server/discover`: what a modern server is and which revisions it speaks.
//!
//! A server writes a [`DiscoverResult`]; the negotiation reads a [`Discovery`], which demands less.

use std::fmt;

use serde_json::value::RawValue;

use crate::meta;
use crate::object::Object;
use crate::types::{CacheScope, Implementation, ServerCapabilities};

record! {
    /// The answer to `server/discover`, as a server writes it.
    DiscoverResult {
        /// The versions that the server speaks.
        required supported_versions: Vec<String> = "supportedVersions";
        /// What the server can do.
        lenient capabilities: ServerCapabilities = "capabilities";
        /// Guidance for a model on how to use the server.
        optional instructions: String = "instructions";
    } with cache, result, meta
}

/// A usable `DiscoverResult` (`server/discover`, "Response").
///
/// Only the list of versions decides whether one is usable; all else has a default, so that a sloppy
/// modern server is still known as modern.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Discovery {
    /// The versions that the server lists, in its words and order; never empty.
    pub supported_versions: Vec<String>,
    /// The server's capabilities as it wrote them; `{}` where it wrote none.
    pub capabilities: Box<RawValue>,
    /// The server's name and version: from `_meta`, else from a top-level `serverInfo`, else none.
    pub server: Option<Implementation>,
    /// Guidance for a model on how to use the server.
    pub instructions: Option<String>,
    /// How long the result stays fresh, in milliseconds; 0 where it is absent or negative.
    pub ttl_ms: u64,
    /// How far the result may be shared; private unless the server says otherwise.
    pub cache_scope: CacheScope,
    /// The whole result as it came.
    pub raw: Box<RawValue>,
}

/// Why a result is no usable `DiscoverResult`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiscoveryFault {
    /// Its `resultType` is one that nobody defined, so that it must not be used (`basic/index`, "ResultType").
    UnknownResultType(String),
    /// It lists no versions.
    NoVersions,
    /// It is no JSON object.
    NotAnObject,
}

impl fmt::Display for DiscoveryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownResultType(word) => write!(f, "its resultType {word:?} is unknown"),
            Self::NoVersions => f.write_str("it lists no supported versions"),
            Self::NotAnObject => f.write_str("it is not an object"),
        }
    }
}

impl std::error::Error for DiscoveryFault {}

impl Discovery {
    /// Reads a result leniently: everything but the list of versions may be missing or odd.
    pub fn read(result: &RawValue) -> Result<Self, DiscoveryFault> {
        let object = Object::read(result).ok_or(DiscoveryFault::NotAnObject)?;
        if let Some(word) = object.string("resultType").filter(|word| word != "complete") {
            return Err(DiscoveryFault::UnknownResultType(word.chars().take(64).collect()));
        }
        let supported_versions = object.strings("supportedVersions").unwrap_or_default();
        if supported_versions.is_empty() {
            return Err(DiscoveryFault::NoVersions);
        }
        Ok(Self {
            supported_versions,
            capabilities: object.raw_object("capabilities").map_or_else(empty_object, ToOwned::to_owned),
            server: identity(&object),
            instructions: object.string("instructions"),
            ttl_ms: object.parse::<i64>("ttlMs").and_then(|ttl| u64::try_from(ttl).ok()).unwrap_or(0),
            cache_scope: match object.string("cacheScope").as_deref() {
                Some("public") => CacheScope::Public,
                _ => CacheScope::Private,
            },
            raw: result.to_owned(),
        })
    }
}

fn identity(result: &Object<'_>) -> Option<Implementation> {
    let read = |raw: Option<&RawValue>| Implementation::read(raw?).ok();
    let in_meta = result.object("_meta").and_then(|meta| read(meta.member(meta::SERVER_INFO)));
    in_meta.or_else(|| read(result.member("serverInfo")))
}

/// The JSON text `{}`.
pub(crate) fn empty_object() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}

//! What a cached result is known by: the method, and the parameters that affect it.

use diglot_proto::object::Object;
use serde_json::value::RawValue;

/// A method with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::client) struct Key {
    method: Box<str>,
    /// The members of the parameters by name, each with its bytes; two spellings of one value are two keys, which only
    /// costs a request.
    params: Box<str>,
    /// The resource that is read, where one is.
    uri: Option<Box<str>>,
}

impl Key {
    /// Makes the key of a request. What its `_meta` says about the request is no part of it.
    pub(in crate::client) fn new(method: &str, params: Option<&RawValue>) -> Self {
        let object = params.and_then(Object::read).unwrap_or_default();
        let mut members: Vec<_> = object.iter().filter(|(name, _)| *name != "_meta").collect();
        // Stable, so that of a name that occurs twice the last value still counts.
        members.sort_by_key(|(name, _)| *name);
        let mut text = String::new();
        for (name, value) in members {
            text.push_str(&format!("{name:?}:{},", value.get()));
        }
        let uri = object.string("uri").map(Into::into);
        Self { method: method.into(), params: text.into(), uri }
    }

    /// Returns the method.
    pub(super) fn method(&self) -> &str {
        &self.method
    }

    /// Returns the resource that is read.
    pub(super) fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// Returns how much memory it takes, in bytes.
    pub(super) fn weight(&self) -> usize {
        // Twice, since the order of use holds another one.
        2 * (self.method.len() + 2 * self.params.len())
    }
}

//! What a server says it can do.

use std::fmt;

use serde_json::value::RawValue;

use crate::object::Object;

/// The capabilities of a server, as it wrote them.
///
/// They form an open set: a server may declare words of its own, and extensions live under `extensions`.
#[derive(Clone)]
pub struct ServerCapabilities {
    raw: Box<RawValue>,
}

impl ServerCapabilities {
    /// Takes the object as it came.
    pub fn new(raw: Box<RawValue>) -> Self {
        Self { raw }
    }

    /// Tells whether a capability is declared, such as `tools`, `resources` or `prompts`.
    pub fn has(&self, name: &str) -> bool {
        Object::read(&self.raw).is_some_and(|object| object.member(name).is_some())
    }

    /// Tells whether a capability declares a feature, such as `resources` with `subscribe`.
    pub fn declares(&self, name: &str, feature: &str) -> bool {
        let object = Object::read(&self.raw).and_then(|object| object.object(name));
        object.and_then(|capability| capability.parse::<bool>(feature)).unwrap_or(false)
    }

    /// Returns the names of all declared capabilities, in the server's order.
    pub fn names(&self) -> Vec<String> {
        let object = Object::read(&self.raw).unwrap_or_default();
        let declared = object.iter().filter(|(_, value)| !matches!(value.get(), "null" | "false"));
        declared.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the settings of an extension, by its identifier, where the server declares it.
    pub fn extension(&self, identifier: &str) -> Option<Box<RawValue>> {
        let object = Object::read(&self.raw)?;
        object.object("extensions")?.member(identifier).map(ToOwned::to_owned)
    }

    /// Returns the whole object as it came.
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }
}

impl fmt::Debug for ServerCapabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw.get())
    }
}

//! Who a client or a server says it is.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::object::Object;

/// The name and version of a client or a server, as it gives them.
///
/// Nobody verifies them: they are for display and logs, never for decisions (`basic/index`, "_meta").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Implementation {
    /// The program's name.
    pub name: String,
    /// The program's version, in whatever form it uses.
    pub version: String,
    /// A name for people, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Implementation {
    /// Names a program and its version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None }
    }

    /// Adds a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Reads what a peer says of itself, or nothing where it gives no name.
    ///
    /// An absent version reads as the empty string.
    pub fn read(text: &RawValue) -> Option<Self> {
        let object = Object::read(text)?;
        Some(Self {
            name: object.string("name")?,
            version: object.string("version").unwrap_or_default(),
            title: object.string("title"),
        })
    }
}

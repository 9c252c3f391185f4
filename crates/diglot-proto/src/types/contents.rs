//! What a resource holds: text, or bytes.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{Fault, LeftOut};

record! {
    /// A resource that is text.
    TextResourceContents {
        /// Where it is.
        required uri: String = "uri";
        /// The media type, where it is known.
        optional mime_type: String = "mimeType";
        /// The text.
        required text: String = "text";
    } with meta
}

record! {
    /// A resource that is bytes.
    BlobResourceContents {
        /// Where it is.
        required uri: String = "uri";
        /// The media type, where it is known.
        optional mime_type: String = "mimeType";
        /// The bytes, in Base64.
        required blob: String = "blob";
    } with meta
}

/// Holds what one resource holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

impl ResourceContents {
    /// Makes a resource that is text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text(TextResourceContents::new(uri, text))
    }

    /// Makes a resource of its bytes in Base64.
    pub fn blob(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self::Blob(BlobResourceContents::new(uri, blob))
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(self, mime_type: impl Into<String>) -> Self {
        match self {
            Self::Text(contents) => Self::Text(contents.mime_type(mime_type)),
            Self::Blob(contents) => Self::Blob(contents.mime_type(mime_type)),
        }
    }

    /// Reads contents: a `text` makes them text, else a `blob` makes them bytes.
    ///
    /// # Errors
    ///
    /// [`Fault`] names what they lack.
    pub fn read(raw: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::NOT_AN_OBJECT)?;
        match (object.string("text"), object.member("blob")) {
            (None, Some(_)) => BlobResourceContents::read(raw).map(Self::Blob),
            _ => TextResourceContents::read(raw).map(Self::Text),
        }
    }

    /// Returns where the resource is.
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }

    /// Returns the text, where it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(&contents.text),
            Self::Blob(_) => None,
        }
    }

    /// Returns the bytes in Base64, where it is bytes.
    pub fn as_blob(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Blob(contents) => Some(&contents.blob),
        }
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.serialize(serializer),
            Self::Blob(contents) => contents.serialize(serializer),
        }
    }
}

impl Field for ResourceContents {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}

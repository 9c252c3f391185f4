//! The pieces of content that tools and prompts return.

use serde_json::value::RawValue;

use crate::object::Object;

/// One piece of content (`schema`, "ContentBlock").
///
/// A piece of an unknown type, or one that lacks what its type demands, is kept as it came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// The whole piece as it came.
        raw: Box<RawValue>,
    },
    /// An image or a sound.
    Media {
        /// Whether it is a sound.
        is_audio: bool,
        /// The bytes, in Base64.
        data: String,
        /// The media type.
        mime_type: String,
        /// The whole piece as it came.
        raw: Box<RawValue>,
    },
    /// A resource, in whole or as a link.
    Resource {
        /// Where it is.
        uri: String,
        /// Its text, where it is embedded as text.
        text: Option<String>,
        /// Its bytes in Base64, where it is embedded as such.
        blob: Option<String>,
        /// Its media type.
        mime_type: Option<String>,
        /// The whole piece as it came.
        raw: Box<RawValue>,
    },
    /// Anything else.
    Other(Box<RawValue>),
}

impl Content {
    /// Reads a piece; it never fails, since what is odd is kept as it came.
    pub fn read(text: &RawValue) -> Self {
        Self::known(text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    fn known(piece: &RawValue) -> Option<Self> {
        let object = Object::read(piece)?;
        let raw = piece.to_owned();
        let resource = |object: &Object<'_>, raw| {
            Some(Self::Resource {
                uri: object.string("uri")?,
                text: object.string("text"),
                blob: object.string("blob"),
                mime_type: object.string("mimeType"),
                raw,
            })
        };
        match object.string("type")?.as_str() {
            "text" => Some(Self::Text { text: object.string("text")?, raw }),
            kind @ ("image" | "audio") => Some(Self::Media {
                is_audio: kind == "audio",
                data: object.string("data")?,
                mime_type: object.string("mimeType").unwrap_or_default(),
                raw,
            }),
            "resource" => resource(&object.object("resource")?, raw),
            "resource_link" => resource(&object, raw),
            _ => None,
        }
    }

    /// Returns the text of a text piece.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the whole piece as it came.
    pub fn raw(&self) -> &RawValue {
        match self {
            Self::Text { raw, .. }
            | Self::Media { raw, .. }
            | Self::Resource { raw, .. }
            | Self::Other(raw) => raw,
        }
    }
}

//! The pieces of content that tools and prompts return.

use serde_json::value::RawValue;

use crate::jsonrpc::escape::push_text;
use crate::types::{Annotations, EmbeddedResource, ResourceContents, ResourceLink};

record! {
    /// Text.
    TextContent {
        ["type" = "text"]
        /// The text.
        required text: String = "text";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
    } with meta
}

record! {
    /// A picture.
    ImageContent {
        ["type" = "image"]
        /// The bytes, in Base64.
        required data: String = "data";
        /// The media type; empty where a peer leaves it out.
        lenient mime_type: String = "mimeType";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
    } with meta
}

record! {
    /// A sound.
    AudioContent {
        ["type" = "audio"]
        /// The bytes, in Base64.
        required data: String = "data";
        /// The media type; empty where a peer leaves it out.
        lenient mime_type: String = "mimeType";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
    } with meta
}

tagged! {
    /// One piece of content (`schema`, "ContentBlock").
    Content by "type" {
        /// Text.
        Text(TextContent) "text",
        /// A picture.
        Image(ImageContent) "image",
        /// A sound.
        Audio(AudioContent) "audio",
        /// A resource that can be read from the server.
        ResourceLink(Box<ResourceLink>) "resource_link",
        /// A resource with its contents.
        Resource(Box<EmbeddedResource>) "resource",
    }
}

impl Content {
    /// Makes a piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Makes a picture of its bytes in Base64.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(data, mime_type))
    }

    /// Makes a sound of its bytes in Base64.
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::new(data, mime_type))
    }

    /// Makes a link to a resource.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink::new(uri, name).into()
    }

    /// Makes a resource with its contents.
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        EmbeddedResource::new(contents).into()
    }

    /// Returns the text of a text piece.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }

    /// Appends it as JSON.
    pub(crate) fn push(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Text(TextContent { text, annotations: None, meta: None, extra }) if extra.is_empty() => {
                out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                push_text(out, text);
                out.push(b'}');
                Ok(())
            }
            other => serde_json::to_writer(out, other),
        }
    }
}

impl From<&str> for TextContent {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for TextContent {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<ResourceLink> for Content {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(Box::new(link))
    }
}

impl From<EmbeddedResource> for Content {
    fn from(resource: EmbeddedResource) -> Self {
        Self::Resource(Box::new(resource))
    }
}

record! {
    /// A model's wish to call a tool, in a sampling conversation.
    ToolUseContent {
        ["type" = "tool_use"]
        /// The name of this use, to which the result refers.
        required id: String = "id";
        /// The name of the tool.
        required name: String = "name";
        /// The arguments, an object.
        required input: Box<RawValue> as AnyObject = "input";
    } with meta
}

record! {
    /// What came of a [`ToolUseContent`], in a sampling conversation.
    ToolResultContent {
        ["type" = "tool_result"]
        /// The name of the use.
        required tool_use_id: String = "toolUseId";
        /// The content that the tool returned.
        lenient content: Vec<Content> = "content";
        /// The structured result of the tool, any JSON.
        optional structured: Box<RawValue> as AnyValue = "structuredContent";
        /// Whether the tool failed.
        flag is_error: bool = "isError";
    } with meta, left_out
}

tagged! {
    /// One piece of a sampling conversation (`schema`, "SamplingMessageContentBlock").
    ///
    /// A tool's result holds ordinary [`Content`], so that pieces never nest further than that.
    SamplingContent by "type" {
        /// Text.
        Text(TextContent) "text",
        /// A picture.
        Image(ImageContent) "image",
        /// A sound.
        Audio(AudioContent) "audio",
        /// The model's wish to call a tool.
        ToolUse(ToolUseContent) "tool_use",
        /// What came of it.
        ToolResult(ToolResultContent) "tool_result",
    }
}

impl SamplingContent {
    /// Makes a piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Returns the text of a text piece.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for SamplingContent {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for SamplingContent {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

//! The types of the specification, one file a word: lenient when read, strict when written.

#[macro_use]
mod record;

mod annotations;
mod cache;
mod call;
mod capabilities;
mod content;
mod contents;
mod discover;
mod fault;
mod icon;
mod implementation;
mod initialize;
mod members;
mod progress;
mod resource;
mod shape;
mod task;
mod tool;

pub use annotations::{Annotations, Role};
pub use cache::CacheScope;
pub use call::{CallToolParams, ParseResultError, ToolResult};
pub use capabilities::ServerCapabilities;
pub use content::{
    AudioContent, Content, ImageContent, SamplingContent, TextContent, ToolResultContent, ToolUseContent,
};
pub use contents::{BlobResourceContents, ResourceContents, TextResourceContents};
pub use discover::{Discovery, DiscoveryFault};
pub use fault::{Fault, LeftOut};
pub use icon::{Icon, IconTheme};
pub use implementation::Implementation;
pub use initialize::{Initialization, InitializationFault};
pub use members::Members;
pub use progress::Progress;
pub use resource::{
    EmbeddedResource, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceLink, ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};
pub use shape::Member;
pub use task::TaskMetadata;
pub use tool::{ListParams, ListToolsResult, TaskSupport, Tool, ToolAnnotations, ToolExecution};

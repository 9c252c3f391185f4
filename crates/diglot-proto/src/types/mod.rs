//! The types of the specification, one file a word: lenient when read, strict when written.
//!
//! Every object of the schema is a table in one of these files; [`registry`] says which type is which definition.

#[macro_use]
mod record;

mod annotations;
mod cache;
mod call;
mod cancel;
mod capabilities;
mod completion;
mod content;
mod contents;
mod discover;
mod elicit;
mod error_data;
mod fault;
mod form;
mod icon;
mod implementation;
mod initialize;
mod input;
mod logging;
mod members;
mod progress;
mod prompt;
pub mod registry;
mod resource;
mod roots;
mod sampling;
mod select;
mod shape;
mod skill;
mod subscription;
mod task;
pub mod tasks;
mod tool;

pub use annotations::{Annotations, Role};
pub use cache::CacheScope;
pub use call::{CallToolParams, ParseResultError, ToolResult};
pub use cancel::CancelledParams;
pub use capabilities::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability, ElicitationTasks,
    ListCapability, ResourcesCapability, SamplingCapability, SamplingTasks, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, ToolTasks,
};
pub use completion::{
    CompleteArgument, CompleteContext, CompleteParams, CompleteResult, Completion, PromptReference,
    Reference, ResourceTemplateReference,
};
pub use content::{
    AudioContent, Content, ImageContent, SamplingContent, TextContent, ToolResultContent, ToolUseContent,
};
pub use contents::{BlobResourceContents, ResourceContents, TextResourceContents};
pub use discover::{DiscoverResult, Discovery, DiscoveryFault};
pub use elicit::{
    ElicitAction, ElicitFormParams, ElicitMode, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationCompleteParams,
};
pub use error_data::{MissingCapabilityData, UnsupportedVersionData, UrlElicitationRequiredData};
pub use fault::{Fault, LeftOut};
pub use form::{
    BooleanSchema, FormFields, NumberKind, NumberSchema, PrimitiveSchema, RequestedSchema, StringFormat,
    StringSchema,
};
pub use icon::{Icon, IconTheme};
pub use implementation::Implementation;
pub use initialize::{Initialization, InitializationFault, InitializeParams, InitializeResult};
pub use input::{InputRequest, InputRequests, InputRequiredResult, ResultType};
pub use logging::{LogMessageParams, LoggingLevel, SetLevelParams};
pub use members::Members;
pub use progress::{Progress, ProgressParams};
pub use prompt::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use resource::{
    EmbeddedResource, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceLink, ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingMessage,
    ToolChoice, ToolChoiceMode,
};
pub use select::{
    EnumOption, LegacyTitledEnum, TitledItems, TitledMultiSelect, TitledSingleSelect, UntitledItems,
    UntitledMultiSelect, UntitledSingleSelect,
};
pub use shape::Member;
pub use skill::{
    DIRECTORY_TYPE, GetSkillParams, GetSkillResult, ListSkillsResult, ReadDirectoryParams,
    ReadDirectoryResult, SKILL_BYTES, SKILL_FILES, Skill, SkillResource, SkillResources, is_skill_name,
};
pub use subscription::{AcknowledgedParams, ListenParams, SubscriptionFilter};
pub use task::{
    CreateTaskResult, ListTasksResult, RelatedTaskMetadata, Task, TaskMetadata, TaskParams, TaskStatus,
};
pub use tool::{ListParams, ListToolsResult, TaskSupport, Tool, ToolAnnotations, ToolExecution};

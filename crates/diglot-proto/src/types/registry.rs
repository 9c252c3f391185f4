//! The table of the schema's definitions: which type each of them is, or why it needs none.
//!
//! `cargo xtask schema` holds it against the five schemas, so that a definition, or a member of one, that nobody reads
//! is found when the schema changes.

use std::ops::RangeInclusive;

use serde_json::value::RawValue;

use crate::jsonrpc::Id;
use crate::types::shape::{Field, Member};
use crate::types::*;
use crate::version::Revision::{self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// Says what a definition of the schema is here.
#[derive(Debug)]
#[non_exhaustive]
pub struct Definition {
    /// The name in the schema.
    pub name: &'static str,
    /// The revisions that have it, as far as this row is about them.
    pub revisions: RangeInclusive<Revision>,
    /// What it is here.
    pub claim: Claim,
}

/// Says what claims a definition.
#[derive(Debug)]
#[non_exhaustive]
pub enum Claim {
    /// A type reads and writes it, or the part of it that is worth a type.
    Type(Claimed),
    /// It needs no type of its own, for this reason.
    Reason(&'static str),
}

/// Says which type reads and writes a definition.
#[derive(Debug)]
#[non_exhaustive]
pub struct Claimed {
    /// The name of the type.
    pub type_name: &'static str,
    /// The members that lead to the part that the type is; none where it is the whole.
    pub at: &'static [&'static str],
    /// The members that the type knows; none where it is no object, or keeps it raw.
    pub members: &'static [Member],
    /// Reads a text as the type and writes it again.
    pub roundtrip: fn(&RawValue) -> Result<String, String>,
}

fn roundtrip<T: Field>(text: &RawValue) -> Result<String, String> {
    let read = T::read_field(text, &mut Vec::new()).map_err(|fault| fault.to_string())?;
    serde_json::to_string(&read).map_err(|error| error.to_string())
}

const ONLY_2024_11_05: RangeInclusive<Revision> = V2024_11_05..=V2024_11_05;
const UNTIL_2025_03_26: RangeInclusive<Revision> = V2024_11_05..=V2025_03_26;
const UNTIL_2025_06_18: RangeInclusive<Revision> = V2024_11_05..=V2025_06_18;
const LEGACY: RangeInclusive<Revision> = V2024_11_05..=V2025_11_25;
const ALWAYS: RangeInclusive<Revision> = V2024_11_05..=V2026_07_28;
const ONLY_2025_03_26: RangeInclusive<Revision> = V2025_03_26..=V2025_03_26;
const SINCE_2025_03_26: RangeInclusive<Revision> = V2025_03_26..=V2026_07_28;
const ONLY_2025_06_18: RangeInclusive<Revision> = V2025_06_18..=V2025_06_18;
const SINCE_2025_06_18: RangeInclusive<Revision> = V2025_06_18..=V2026_07_28;
const ONLY_2025_11_25: RangeInclusive<Revision> = V2025_11_25..=V2025_11_25;
const SINCE_2025_11_25: RangeInclusive<Revision> = V2025_11_25..=V2026_07_28;
const MODERN: RangeInclusive<Revision> = V2026_07_28..=V2026_07_28;

const ENVELOPE: &str = "it is an envelope, which `jsonrpc` reads and writes";
const ERROR: &str = "it is an `RpcError` with a code, without data of its own";
const BY_METHOD: &str = "it is a union of messages, which the method tells apart";
const BY_REQUEST: &str = "only the request that it answers tells what it is, so that it stays raw";
const BASE: &str = "its members stand in the definitions that extend it";
const META: &str = "it is a `_meta`, which `meta` reads and writes";
const ONLY_META: &str = "it holds nothing but a `_meta`, which `meta` reads and writes";
const JSON: &str = "it is plain JSON, or a text";

macro_rules! definitions {
    ($($revisions:ident $name:literal $verb:ident $what:ident $(at $($at:literal)+)? $(: $reason:ident)?;)+) => {
        /// Lists every definition of every revision.
        pub static ALL: &[Definition] = &[$(Definition {
            name: $name,
            revisions: $revisions,
            claim: definitions!(@$verb $what [$($($at)+)?] $($reason)?),
        },)+];
    };
    (@is $type:ident [$($at:literal)*]) => {
        Claim::Type(Claimed {
            type_name: stringify!($type),
            at: &[$($at),*],
            members: <$type as Field>::MEMBERS,
            roundtrip: roundtrip::<$type>,
        })
    };
    (@needs none [] $reason:ident) => {
        Claim::Reason($reason)
    };
}

definitions! {
    ONLY_2024_11_05 "Annotated" needs none: BASE;
    SINCE_2025_03_26 "Annotations" is Annotations;
    SINCE_2025_03_26 "AudioContent" is AudioContent;
    SINCE_2025_06_18 "BaseMetadata" needs none: BASE;
    ALWAYS "BlobResourceContents" is BlobResourceContents;
    SINCE_2025_06_18 "BooleanSchema" is BooleanSchema;
    MODERN "CacheableResult" needs none: BASE;
    ALWAYS "CallToolRequest" is CallToolParams at "params";
    SINCE_2025_11_25 "CallToolRequestParams" is CallToolParams;
    ALWAYS "CallToolResult" is ToolResult;
    MODERN "CallToolResultResponse" is ToolResult at "result";
    ONLY_2025_11_25 "CancelTaskRequest" is TaskParams at "params";
    ONLY_2025_11_25 "CancelTaskResult" is Task;
    ALWAYS "CancelledNotification" is CancelledParams at "params";
    SINCE_2025_11_25 "CancelledNotificationParams" is CancelledParams;
    ALWAYS "ClientCapabilities" is ClientCapabilities;
    ALWAYS "ClientNotification" needs none: BY_METHOD;
    ALWAYS "ClientRequest" needs none: BY_METHOD;
    ALWAYS "ClientResult" needs none: BY_METHOD;
    ALWAYS "CompleteRequest" is CompleteParams at "params";
    SINCE_2025_11_25 "CompleteRequestParams" is CompleteParams;
    ALWAYS "CompleteResult" is CompleteResult;
    MODERN "CompleteResultResponse" is CompleteResult at "result";
    SINCE_2025_06_18 "ContentBlock" is Content;
    ALWAYS "CreateMessageRequest" is CreateMessageParams at "params";
    SINCE_2025_11_25 "CreateMessageRequestParams" is CreateMessageParams;
    ALWAYS "CreateMessageResult" is CreateMessageResult;
    ONLY_2025_11_25 "CreateTaskResult" is CreateTaskResult;
    ALWAYS "Cursor" needs none: JSON;
    MODERN "DiscoverRequest" needs none: ONLY_META;
    MODERN "DiscoverResult" is DiscoverResult;
    MODERN "DiscoverResultResponse" is DiscoverResult at "result";
    ONLY_2025_06_18 "ElicitRequest" is ElicitFormParams at "params";
    SINCE_2025_11_25 "ElicitRequest" is ElicitParams at "params";
    SINCE_2025_11_25 "ElicitRequestFormParams" is ElicitFormParams;
    SINCE_2025_11_25 "ElicitRequestParams" is ElicitParams;
    SINCE_2025_11_25 "ElicitRequestURLParams" is ElicitUrlParams;
    SINCE_2025_06_18 "ElicitResult" is ElicitResult;
    ONLY_2025_11_25 "ElicitationCompleteNotification" is ElicitationCompleteParams at "params";
    ALWAYS "EmbeddedResource" is EmbeddedResource;
    ALWAYS "EmptyResult" needs none: ONLY_META;
    ONLY_2025_06_18 "EnumSchema" is LegacyTitledEnum;
    SINCE_2025_11_25 "EnumSchema" is PrimitiveSchema;
    SINCE_2025_11_25 "Error" needs none: ERROR;
    ALWAYS "GetPromptRequest" is GetPromptParams at "params";
    SINCE_2025_11_25 "GetPromptRequestParams" is GetPromptParams;
    ALWAYS "GetPromptResult" is GetPromptResult;
    MODERN "GetPromptResultResponse" is GetPromptResult at "result";
    ONLY_2025_11_25 "GetTaskPayloadRequest" is TaskParams at "params";
    ONLY_2025_11_25 "GetTaskPayloadResult" needs none: BY_REQUEST;
    ONLY_2025_11_25 "GetTaskRequest" is TaskParams at "params";
    ONLY_2025_11_25 "GetTaskResult" is Task;
    MODERN "HeaderMismatchError" needs none: ERROR;
    SINCE_2025_11_25 "Icon" is Icon;
    SINCE_2025_11_25 "Icons" needs none: BASE;
    ALWAYS "ImageContent" is ImageContent;
    ALWAYS "Implementation" is Implementation;
    LEGACY "InitializeRequest" is InitializeParams at "params";
    ONLY_2025_11_25 "InitializeRequestParams" is InitializeParams;
    LEGACY "InitializeResult" is InitializeResult;
    LEGACY "InitializedNotification" needs none: ONLY_META;
    MODERN "InputRequest" is InputRequest;
    MODERN "InputRequests" is InputRequests;
    MODERN "InputRequiredResult" is InputRequiredResult;
    MODERN "InputResponse" needs none: BY_REQUEST;
    MODERN "InputResponseRequestParams" needs none: BASE;
    MODERN "InputResponses" is Members;
    MODERN "InternalError" needs none: ERROR;
    MODERN "InvalidParamsError" needs none: ERROR;
    MODERN "InvalidRequestError" needs none: ERROR;
    MODERN "JSONArray" needs none: JSON;
    MODERN "JSONObject" needs none: JSON;
    ONLY_2025_03_26 "JSONRPCBatchRequest" needs none: ENVELOPE;
    ONLY_2025_03_26 "JSONRPCBatchResponse" needs none: ENVELOPE;
    UNTIL_2025_06_18 "JSONRPCError" needs none: ENVELOPE;
    SINCE_2025_11_25 "JSONRPCErrorResponse" needs none: ENVELOPE;
    ALWAYS "JSONRPCMessage" needs none: ENVELOPE;
    ALWAYS "JSONRPCNotification" needs none: ENVELOPE;
    ALWAYS "JSONRPCRequest" needs none: ENVELOPE;
    ALWAYS "JSONRPCResponse" needs none: ENVELOPE;
    SINCE_2025_11_25 "JSONRPCResultResponse" needs none: ENVELOPE;
    MODERN "JSONValue" needs none: JSON;
    SINCE_2025_11_25 "LegacyTitledEnumSchema" is LegacyTitledEnum;
    ALWAYS "ListPromptsRequest" is ListParams at "params";
    ALWAYS "ListPromptsResult" is ListPromptsResult;
    MODERN "ListPromptsResultResponse" is ListPromptsResult at "result";
    ALWAYS "ListResourceTemplatesRequest" is ListParams at "params";
    ALWAYS "ListResourceTemplatesResult" is ListResourceTemplatesResult;
    MODERN "ListResourceTemplatesResultResponse" is ListResourceTemplatesResult at "result";
    ALWAYS "ListResourcesRequest" is ListParams at "params";
    ALWAYS "ListResourcesResult" is ListResourcesResult;
    MODERN "ListResourcesResultResponse" is ListResourcesResult at "result";
    ALWAYS "ListRootsRequest" needs none: ONLY_META;
    ALWAYS "ListRootsResult" is ListRootsResult;
    ONLY_2025_11_25 "ListTasksRequest" is ListParams at "params";
    ONLY_2025_11_25 "ListTasksResult" is ListTasksResult;
    ALWAYS "ListToolsRequest" is ListParams at "params";
    ALWAYS "ListToolsResult" is ListToolsResult;
    MODERN "ListToolsResultResponse" is ListToolsResult at "result";
    ALWAYS "LoggingLevel" is LoggingLevel;
    ALWAYS "LoggingMessageNotification" is LogMessageParams at "params";
    SINCE_2025_11_25 "LoggingMessageNotificationParams" is LogMessageParams;
    MODERN "MetaObject" needs none: META;
    MODERN "MethodNotFoundError" needs none: ERROR;
    MODERN "MissingRequiredClientCapabilityError" is MissingCapabilityData at "error" "data";
    ALWAYS "ModelHint" is ModelHint;
    ALWAYS "ModelPreferences" is ModelPreferences;
    SINCE_2025_11_25 "MultiSelectEnumSchema" is PrimitiveSchema;
    ALWAYS "Notification" needs none: BASE;
    MODERN "NotificationMetaObject" needs none: META;
    SINCE_2025_11_25 "NotificationParams" needs none: ONLY_META;
    SINCE_2025_06_18 "NumberSchema" is NumberSchema;
    ALWAYS "PaginatedRequest" is ListParams at "params";
    SINCE_2025_11_25 "PaginatedRequestParams" is ListParams;
    ALWAYS "PaginatedResult" needs none: BASE;
    MODERN "ParseError" needs none: ERROR;
    LEGACY "PingRequest" needs none: ONLY_META;
    SINCE_2025_06_18 "PrimitiveSchemaDefinition" is PrimitiveSchema;
    ALWAYS "ProgressNotification" is ProgressParams at "params";
    SINCE_2025_11_25 "ProgressNotificationParams" is ProgressParams;
    ALWAYS "ProgressToken" is Id;
    ALWAYS "Prompt" is Prompt;
    ALWAYS "PromptArgument" is PromptArgument;
    ALWAYS "PromptListChangedNotification" needs none: ONLY_META;
    ALWAYS "PromptMessage" is PromptMessage;
    ALWAYS "PromptReference" is PromptReference;
    ALWAYS "ReadResourceRequest" is ReadResourceParams at "params";
    SINCE_2025_11_25 "ReadResourceRequestParams" is ReadResourceParams;
    ALWAYS "ReadResourceResult" is ReadResourceResult;
    MODERN "ReadResourceResultResponse" is ReadResourceResult at "result";
    ONLY_2025_11_25 "RelatedTaskMetadata" is RelatedTaskMetadata;
    ALWAYS "Request" needs none: BASE;
    ALWAYS "RequestId" is Id;
    MODERN "RequestMetaObject" needs none: META;
    SINCE_2025_11_25 "RequestParams" needs none: ONLY_META;
    ALWAYS "Resource" is Resource;
    ALWAYS "ResourceContents" needs none: BASE;
    SINCE_2025_06_18 "ResourceLink" is ResourceLink;
    ALWAYS "ResourceListChangedNotification" needs none: ONLY_META;
    UNTIL_2025_03_26 "ResourceReference" is ResourceTemplateReference;
    SINCE_2025_11_25 "ResourceRequestParams" needs none: BASE;
    ALWAYS "ResourceTemplate" is ResourceTemplate;
    SINCE_2025_06_18 "ResourceTemplateReference" is ResourceTemplateReference;
    ALWAYS "ResourceUpdatedNotification" is ResourceUpdatedParams at "params";
    SINCE_2025_11_25 "ResourceUpdatedNotificationParams" is ResourceUpdatedParams;
    ALWAYS "Result" needs none: BASE;
    MODERN "ResultMetaObject" needs none: META;
    MODERN "ResultType" is ResultType;
    ALWAYS "Role" is Role;
    ALWAYS "Root" is Root;
    LEGACY "RootsListChangedNotification" needs none: ONLY_META;
    ALWAYS "SamplingMessage" is SamplingMessage;
    SINCE_2025_11_25 "SamplingMessageContentBlock" is SamplingContent;
    ALWAYS "ServerCapabilities" is ServerCapabilities;
    ALWAYS "ServerNotification" needs none: BY_METHOD;
    LEGACY "ServerRequest" needs none: BY_METHOD;
    ALWAYS "ServerResult" needs none: BY_METHOD;
    LEGACY "SetLevelRequest" is SetLevelParams at "params";
    ONLY_2025_11_25 "SetLevelRequestParams" is SetLevelParams;
    SINCE_2025_11_25 "SingleSelectEnumSchema" is PrimitiveSchema;
    SINCE_2025_06_18 "StringSchema" is StringSchema;
    LEGACY "SubscribeRequest" is SubscribeParams at "params";
    ONLY_2025_11_25 "SubscribeRequestParams" is SubscribeParams;
    MODERN "SubscriptionFilter" is SubscriptionFilter;
    MODERN "SubscriptionsAcknowledgedNotification" is AcknowledgedParams at "params";
    MODERN "SubscriptionsAcknowledgedNotificationParams" is AcknowledgedParams;
    MODERN "SubscriptionsListenRequest" is ListenParams at "params";
    MODERN "SubscriptionsListenRequestParams" is ListenParams;
    MODERN "SubscriptionsListenResult" needs none: ONLY_META;
    MODERN "SubscriptionsListenResultMetaObject" needs none: META;
    MODERN "SubscriptionsListenResultResponse" needs none: ONLY_META;
    ONLY_2025_11_25 "Task" is Task;
    ONLY_2025_11_25 "TaskAugmentedRequestParams" needs none: BASE;
    ONLY_2025_11_25 "TaskMetadata" is TaskMetadata;
    ONLY_2025_11_25 "TaskStatus" is TaskStatus;
    ONLY_2025_11_25 "TaskStatusNotification" is Task at "params";
    ONLY_2025_11_25 "TaskStatusNotificationParams" is Task;
    ALWAYS "TextContent" is TextContent;
    ALWAYS "TextResourceContents" is TextResourceContents;
    SINCE_2025_11_25 "TitledMultiSelectEnumSchema" is TitledMultiSelect;
    SINCE_2025_11_25 "TitledSingleSelectEnumSchema" is TitledSingleSelect;
    ALWAYS "Tool" is Tool;
    SINCE_2025_03_26 "ToolAnnotations" is ToolAnnotations;
    SINCE_2025_11_25 "ToolChoice" is ToolChoice;
    ONLY_2025_11_25 "ToolExecution" is ToolExecution;
    ALWAYS "ToolListChangedNotification" needs none: ONLY_META;
    SINCE_2025_11_25 "ToolResultContent" is ToolResultContent;
    SINCE_2025_11_25 "ToolUseContent" is ToolUseContent;
    ONLY_2025_11_25 "URLElicitationRequiredError" is UrlElicitationRequiredData at "error" "data";
    LEGACY "UnsubscribeRequest" is SubscribeParams at "params";
    ONLY_2025_11_25 "UnsubscribeRequestParams" is SubscribeParams;
    MODERN "UnsupportedProtocolVersionError" is UnsupportedVersionData at "error" "data";
    SINCE_2025_11_25 "UntitledMultiSelectEnumSchema" is UntitledMultiSelect;
    SINCE_2025_11_25 "UntitledSingleSelectEnumSchema" is UntitledSingleSelect;
}

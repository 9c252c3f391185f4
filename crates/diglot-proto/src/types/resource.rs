//! Resources: how they are listed, linked, read and watched.

use crate::types::{Annotations, Icon, Members, ResourceContents};

record! {
    /// A resource that a server offers (`server/resources`).
    Resource {
        /// Where it is.
        required uri: String = "uri";
        /// The name in programs.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What it is, for the model.
        optional description: String = "description";
        /// The media type, where it is known.
        optional mime_type: String = "mimeType";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
        /// How many bytes it has, before any encoding.
        optional size: u64 = "size";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    } with meta, raw
}

record! {
    /// A family of resources whose addresses follow a template (`server/resources`).
    ResourceTemplate {
        /// The template of the addresses, by RFC 6570.
        required uri_template: String = "uriTemplate";
        /// The name in programs.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What the family is, for the model.
        optional description: String = "description";
        /// The media type, where all of them share one.
        optional mime_type: String = "mimeType";
        /// How to treat them.
        optional annotations: Annotations = "annotations";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    } with meta, raw
}

record! {
    /// A resource that content points to; the server need not list it.
    ResourceLink {
        ["type" = "resource_link"]
        /// Where it is.
        required uri: String = "uri";
        /// The name in programs; empty where a peer leaves it out.
        lenient name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What it is, for the model.
        optional description: String = "description";
        /// The media type, where it is known.
        optional mime_type: String = "mimeType";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
        /// How many bytes it has, before any encoding.
        optional size: u64 = "size";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    } with meta
}

record! {
    /// A resource that stands in content with all it holds.
    EmbeddedResource {
        ["type" = "resource"]
        /// What it holds.
        required resource: ResourceContents = "resource";
        /// How to treat it.
        optional annotations: Annotations = "annotations";
    } with meta
}

record! {
    /// The answer to `resources/list`.
    ListResourcesResult {
        /// The resources of this page.
        expected resources: Vec<Resource> = "resources";
    } with page, cache, result, meta, left_out
}

record! {
    /// The answer to `resources/templates/list`.
    ListResourceTemplatesResult {
        /// The templates of this page.
        expected resource_templates: Vec<ResourceTemplate> = "resourceTemplates";
    } with page, cache, result, meta, left_out
}

record! {
    /// The parameters of `resources/read`.
    ReadResourceParams {
        /// Where the resource is.
        required uri: String = "uri";
        /// What the client says to the requests of an earlier [`InputRequiredResult`](crate::types::InputRequiredResult).
        checked input_responses: Members = "inputResponses";
        /// The state that came with them, as it came.
        checked request_state: String = "requestState";
    } with meta
}

record! {
    /// The answer to `resources/read`: one resource, or those that it stands for.
    ReadResourceResult {
        /// What they hold.
        expected contents: Vec<ResourceContents> = "contents";
    } with cache, result, meta, raw, left_out
}

record! {
    /// The parameters of `resources/subscribe` and `resources/unsubscribe`, in the legacy era.
    SubscribeParams {
        /// Where the resource is.
        required uri: String = "uri";
    } with meta
}

record! {
    /// The parameters of `notifications/resources/updated`.
    ResourceUpdatedParams {
        /// Where the changed resource is; it may be one within the one that is watched.
        required uri: String = "uri";
    } with meta
}

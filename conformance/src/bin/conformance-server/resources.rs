//! Resources: text, bytes, one to subscribe to, and a template.

use diglot::server::{Resource, ResourceTemplate};
use diglot::types::ResourceContents;
use diglot::{Context, Server};

use crate::samples::PNG;

/// Adds the resources.
pub(crate) fn add_to(server: Server) -> Server {
    server
        .resource(
            Resource::text(
                "test://static-text",
                "static-text",
                "This is the content of the static text resource.",
            )
            .description("A text that never changes")
            .mime_type("text/plain"),
        )
        .resource(
            Resource::new("test://static-binary", "static-binary", |uri: String, _: Context| async {
                ResourceContents::blob(uri, PNG).mime_type("image/png")
            })
            .description("Bytes that never change")
            .mime_type("image/png"),
        )
        .resource(
            Resource::text("test://watched-resource", "watched-resource", "Watched.")
                .description("A text that one may subscribe to")
                .mime_type("text/plain"),
        )
        .resource_template(
            ResourceTemplate::new(
                "test://template/{id}/data",
                "template",
                |_: String, cx: Context| async move {
                    let id = cx.variable("id").unwrap_or_default();
                    format!(r#"{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}"#)
                },
            )
            .description("Data by its id")
            .mime_type("application/json"),
        )
}

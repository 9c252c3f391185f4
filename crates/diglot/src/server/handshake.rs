//! How a server introduces itself: `server/discover` to modern clients, `initialize` to legacy ones.

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::method::{SKILLS_EXTENSION, TASKS_EXTENSION};
use diglot_proto::object::Object;
use diglot_proto::types::Members;
use diglot_proto::version::{Era, Revision};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::server::answer::{Outcome, ResultBody};
use crate::server::core::Core;
use crate::server::session::Session;
use crate::server::task;

/// Answers `server/discover`.
pub(crate) fn discover(core: &Core) -> Outcome {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Discovery<'a> {
        supported_versions: Vec<Revision>,
        capabilities: Members,
        #[serde(skip_serializing_if = "Option::is_none")]
        instructions: Option<&'a str>,
    }
    let modern = Revision::ALL.iter().copied().filter(|revision| revision.era() == Era::Modern);
    let body = ResultBody::write(&Discovery {
        supported_versions: modern.collect(),
        capabilities: capabilities(core, Revision::V2026_07_28),
        instructions: core.settings.instructions.as_deref(),
    });
    let hint = core.settings.discover_cache;
    Outcome::Result(body.cache(hint.ttl_ms, hint.scope))
}

/// Answers `initialize`: the result, and the session that it opens.
///
/// A revision that the server does not speak is answered with the newest that it does, as the legacy revisions say.
pub(crate) fn initialize(core: &Core, params: Option<&RawValue>) -> Result<(Outcome, Session), RpcError> {
    let object = params.and_then(Object::read).ok_or_else(|| invalid("initialize needs parameters"))?;
    let asked =
        object.string("protocolVersion").ok_or_else(|| invalid("initialize needs a protocolVersion"))?;
    let legacy = core.settings.legacy();
    let newest = legacy.iter().copied().max().ok_or_else(|| invalid("no legacy revision is served"))?;
    let revision = asked.parse().ok().filter(|asked| legacy.contains(asked)).unwrap_or(newest);
    let client = object.raw_object("clientInfo").map(ToOwned::to_owned);
    let declared = object.raw_object("capabilities").map_or_else(empty, ToOwned::to_owned);
    let session = Session::new(revision, client, declared);
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialization<'a> {
        protocol_version: Revision,
        capabilities: Members,
        server_info: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        instructions: Option<&'a str>,
    }
    let body = ResultBody::write(&Initialization {
        protocol_version: revision,
        capabilities: capabilities(core, revision),
        server_info: &core.settings.identity,
        instructions: core.settings.instructions.as_deref(),
    });
    Ok((Outcome::Result(body), session))
}

fn invalid(what: &str) -> RpcError {
    RpcError::new(codes::INVALID_PARAMS, what)
}

fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}

/// Returns what the server can do now, in the words of a revision.
///
/// Lists can change at any time, so each that is offered says that it tells of changes.
fn capabilities(core: &Core, revision: Revision) -> Members {
    let catalog = core.catalog();
    let mut members = Members::new();
    let mut add = |name: &str, value: serde_json::Value| {
        members.insert(name, to_raw_value(&value).expect("literals serialise"));
    };
    add("logging", serde_json::json!({}));
    if !catalog.completions.is_empty() {
        add("completions", serde_json::json!({}));
    }
    if !catalog.prompts.is_empty() {
        add("prompts", serde_json::json!({ "listChanged": true }));
    }
    if !catalog.resources.is_empty() || !catalog.templates.is_empty() || catalog.skills.is_offered() {
        add("resources", serde_json::json!({ "subscribe": true, "listChanged": true }));
    }
    // A server without tools now may have some later; it says so, and answers with an empty list.
    add("tools", serde_json::json!({ "listChanged": true }));
    let mut extensions = serde_json::Map::new();
    if catalog.skills.is_offered() {
        extensions.insert(SKILLS_EXTENSION.to_owned(), serde_json::json!({ "directoryRead": true }));
    }
    if revision.era() == Era::Modern && core.tasks.is_offered() {
        extensions.insert(TASKS_EXTENSION.to_owned(), serde_json::json!({}));
    }
    if !extensions.is_empty() {
        add("extensions", extensions.into());
    }
    if let Some(tasks) = task::legacy_capability(core, revision) {
        add("tasks", tasks);
    }
    members
}

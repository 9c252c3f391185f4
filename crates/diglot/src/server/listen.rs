//! The subscriptions of the modern era: acknowledged first, then a stream of changes, each tagged with its subscription.

use std::sync::Arc;

use diglot_proto::jsonrpc::{Id, RpcError, codes};
use diglot_proto::method::Method;
use diglot_proto::types::ListenParams;
use serde_json::value::{RawValue, to_raw_value};

use crate::server::answer::{Outcome, ResultBody};
use crate::server::core::Core;
use crate::server::hub::{Change, End};
use crate::server::job::{Job, invalid};
use crate::server::task::{self, Watching};

/// Serves `subscriptions/listen`: acknowledges first, then tells of changes until the client goes or the server ends it.
pub(crate) async fn listen(core: Arc<Core>, job: Job) -> Result<ResultBody, RpcError> {
    let asked = ListenParams::read(job.params()?).map_err(|fault| invalid(fault.to_string()))?;
    let filter = asked.notifications;
    let id = &job.id;
    let tasks = filter.tasks();
    if !tasks.is_empty() && !task::declares(&job.caller) {
        return Err(task::missing_extension());
    }
    let mut watching = Watching::begin(&core, &job.caller, tasks).await;
    let filter = filter.with_tasks(watching.ids());
    let wanted = filter.clone();
    let subscriber = core.hub.subscribe(
        Box::new(move |change| match change {
            Change::Tools => wanted.tools_list_changed,
            Change::Prompts => wanted.prompts_list_changed,
            Change::Resources => wanted.resources_list_changed,
            Change::Resource(uri) => wanted.resource_subscriptions.iter().any(|wanted| **wanted == **uri),
        }),
        core.settings.queued_changes,
    );
    job.outlet.notify(tagged(
        id,
        "notifications/subscriptions/acknowledged",
        &serde_json::json!({ "notifications": filter }),
    ));
    loop {
        let next = tokio::select! {
            next = subscriber.next() => next,
            task = watching.next() => {
                job.outlet.notify(tagged_raw(id, Method::TaskUpdated.as_str(), &task));
                continue;
            }
        };
        match next {
            Ok(change) => job.outlet.notify(told(id, &change)),
            Err(End::Shutdown) => {
                return Ok(last_of(id));
            }
            Err(End::TooSlow) => {
                return Err(RpcError::new(
                    codes::INTERNAL_ERROR,
                    "the subscription ends: too many changes waited to be read",
                ));
            }
        }
    }
}

/// Returns how a subscription ends that its binding ends in good order.
pub(crate) fn ended(id: &Id) -> Outcome {
    Outcome::Result(last_of(id))
}

fn last_of(id: &Id) -> ResultBody {
    let meta = to_raw_value(&serde_json::json!({ diglot_proto::meta::SUBSCRIPTION_ID: id }))
        .expect("an id serialises");
    ResultBody::default().meta(Some(&meta))
}

fn told(id: &Id, change: &Change) -> Vec<u8> {
    match change {
        Change::Tools => tagged(id, "notifications/tools/list_changed", &serde_json::json!({})),
        Change::Prompts => tagged(id, "notifications/prompts/list_changed", &serde_json::json!({})),
        Change::Resources => tagged(id, "notifications/resources/list_changed", &serde_json::json!({})),
        Change::Resource(uri) => {
            tagged(id, "notifications/resources/updated", &serde_json::json!({ "uri": **uri }))
        }
    }
}

/// Writes a notification that names the subscription that it belongs to.
fn tagged(id: &Id, method: &str, params: &serde_json::Value) -> Vec<u8> {
    tagged_raw(id, method, &to_raw_value(params).expect("JSON serialises"))
}

fn tagged_raw(id: &Id, method: &str, params: &RawValue) -> Vec<u8> {
    let id = to_raw_value(id).expect("an id serialises");
    let params = diglot_proto::meta::with_meta(Some(params), &[(diglot_proto::meta::SUBSCRIPTION_ID, &*id)]);
    diglot_proto::jsonrpc::write_notification(method, params.ok().as_deref())
}

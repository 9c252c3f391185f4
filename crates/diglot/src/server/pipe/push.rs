//! What a legacy client hears of changes without asking each time.

use std::future::pending;
use std::sync::Arc;

use diglot_proto::jsonrpc;
use serde_json::value::to_raw_value;

use super::channel::Channel;
use crate::server::answer::Outcome;
use crate::server::core::Core;
use crate::server::hub::{Change, End};
use crate::server::session::Session;

/// Tells the client of changes for as long as it is polled; it never ends.
pub(super) async fn push(core: Arc<Core>, session: Arc<Session>, channel: Arc<Channel>) -> Outcome {
    loop {
        let subscribed = session.clone();
        let subscriber = core.hub.subscribe(
            Box::new(move |change| match change {
                Change::Resource(uri) => subscribed.is_subscribed(uri),
                _ => true,
            }),
            core.settings.queued_changes,
        );
        loop {
            match subscriber.next().await {
                Ok(change) => channel.notify(&notice(&change)),
                Err(End::TooSlow) => {
                    tracing::warn!("the client does not read; changes are dropped");
                    break;
                }
                Err(End::Shutdown) => return pending().await,
            }
        }
    }
}

/// Writes the notification of a change.
fn notice(change: &Change) -> Vec<u8> {
    match change {
        Change::Tools => jsonrpc::write_notification("notifications/tools/list_changed", None),
        Change::Prompts => jsonrpc::write_notification("notifications/prompts/list_changed", None),
        Change::Resources => jsonrpc::write_notification("notifications/resources/list_changed", None),
        Change::Resource(uri) => {
            let params = to_raw_value(&serde_json::json!({ "uri": **uri })).expect("text serialises");
            jsonrpc::write_notification("notifications/resources/updated", Some(&params))
        }
    }
}

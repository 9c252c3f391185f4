//! Subscriptions to how tasks stand.

use serde_json::{Value, json};

use super::stage::{Desk, Peer};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Opens a subscription and returns its id and what was granted.
async fn listen(peer: &mut Peer, ids: &[&str]) -> (i64, Value) {
    let id = peer.send("subscriptions/listen", json!({ "notifications": { "taskIds": ids } })).await;
    let acknowledged = peer.hear().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    (id, acknowledged["params"]["notifications"].clone())
}

#[tokio::test]
async fn a_subscription_tells_of_its_tasks_as_they_would_tell_of_themselves() {
    let desk = Desk::default();
    let server = desk.server();
    let (mut peer, mut listener) = (Peer::of(&server), Peer::of(&server));
    let id = peer.start("greet").await;
    peer.until(&id, "input_required").await;
    let (subscription, granted) = listen(&mut listener, &[&id, "unknown", &id]).await;
    assert_eq!(granted, json!({ "taskIds": [id] }));
    let asks = listener.hear().await;
    assert_eq!(
        (&asks["method"], &asks["params"]["status"]),
        (&json!("notifications/tasks"), &json!("input_required"))
    );
    assert_eq!(asks["params"]["_meta"][SUBSCRIPTION], subscription);
    assert_eq!(asks["params"]["inputRequests"]["name"]["method"], "elicitation/create");
    peer.respond(&id, &[("name", json!({ "name": "Ada" }))]).await;
    let mut last = listener.hear().await;
    while last["params"]["status"] == "working" {
        last = listener.hear().await;
    }
    assert_eq!(last["params"]["result"]["content"][0]["text"], "hello Ada");
    let mut told = last["params"].clone();
    told.as_object_mut().unwrap().remove("_meta");
    let mut got = peer.until(&id, "completed").await;
    got.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "_meta" | "resultType"));
    assert_eq!(told, got);
}

#[tokio::test]
async fn a_task_that_just_works_is_not_told_of_before_it_changes() {
    let desk = Desk::default();
    let server = desk.server();
    let (mut peer, mut listener) = (Peer::of(&server), Peer::of(&server));
    let id = peer.start("wait").await;
    desk.has_begun(1).await;
    while peer.until(&id, "working").await["statusMessage"] != "half way" {
        tokio::task::yield_now().await;
    }
    listen(&mut listener, &[&id]).await;
    desk.gate.notify_one();
    let told = listener.hear().await;
    assert_eq!(told["params"]["status"], "completed");
}

#[tokio::test]
async fn no_more_tasks_are_told_of_than_the_limit_allows() {
    let limits = diglot::server::TaskLimits::default().watched(2);
    let mut peer = Peer::of(&Desk::default().server().task_limits(limits));
    let ids = [peer.start("wait").await, peer.start("wait").await, peer.start("wait").await];
    let (_, granted) = listen(&mut peer, &[&ids[0], &ids[1], &ids[2]]).await;
    assert_eq!(granted, json!({ "taskIds": [ids[0], ids[1]] }));
}

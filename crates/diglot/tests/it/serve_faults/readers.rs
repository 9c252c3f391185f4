//! Clients that stop reading: what waits for them is bounded, they are sent away, and others go on.

use std::sync::Arc;
use std::time::Duration;

use diglot::server::Server;
use diglot::types::LoggingLevel;
use diglot::{Context, Tool};
use serde_json::json;
use tokio::sync::watch;

use super::shop::{LONG, Shop, head, request};
use crate::serve_http::desk::{call, modern};

/// What makes each change a long one: 8 KiB.
const LONG_NAME: usize = 8 * 1024;

#[tokio::test]
async fn a_slow_subscriber_is_ended_with_a_reason_and_others_go_on() {
    let server = Server::new("changing", "1");
    let shop = Shop::of(server.clone(), |listener| listener).await;
    let uris: Vec<String> =
        (0..400).map(|number| format!("r://{number}/{}", "x".repeat(LONG_NAME))).collect();
    let listen = |uris: &[String]| {
        let wanted = json!({ "resourceSubscriptions": uris });
        let message = modern(7, "subscriptions/listen", json!({ "notifications": wanted }));
        request(&head(&message), &message.to_string())
    };
    let mut others = shop.connect().await;
    others.say(&listen(&["r://one".to_owned()])).await;
    others.read_to("acknowledged").await;
    // The names of all that it wants to hear of are longer than a request may be, so that it asks in parts.
    let mut slow = Vec::new();
    for part in uris.chunks(100) {
        let mut peer = shop.connect().await;
        peer.say(&listen(part)).await;
        peer.read_to("acknowledged").await;
        slow.push(peer);
    }
    // Nobody reads: what the sockets do not hold has to wait, and what has no room ends the subscription.
    for _ in 0..30 {
        for uri in &uris {
            server.resource_changed(uri);
        }
        tokio::task::yield_now().await;
        server.resource_changed("r://one");
        others.read_to("r://one").await;
    }
    shop.serves().await;
    drop(slow);
    server.end_subscriptions();
    let rest = others.read_to("\r\n0\r\n\r\n").await;
    assert!(rest.contains("\"resultType\":\"complete\""), "{rest}");
}

#[tokio::test]
async fn more_changes_than_may_wait_end_a_subscription_with_a_reason() {
    let server = Server::new("changing", "1");
    let service = server.clone().into_http_service();
    let uris: Vec<String> = (0..2_000).map(|number| format!("r://{number}")).collect();
    let message =
        modern(7, "subscriptions/listen", json!({ "notifications": { "resourceSubscriptions": uris } }));
    let post = crate::serve_http::desk::modern_post(&message, &[]);
    let mut body = crate::serve_http::desk::send(&service, post).await.into_body();
    assert!(crate::serve_http::desk::next(&mut body).await.contains("acknowledged"));
    // Nobody reads the body meanwhile.
    for uri in &uris {
        server.resource_changed(uri);
    }
    let last = crate::serve_http::desk::next(&mut body).await;
    assert!(last.contains("-32603") && last.contains("too many changes waited to be read"), "{last}");
    assert_eq!(crate::serve_http::desk::next(&mut body).await, "");
}

/// Tells when it is dropped.
struct Watch(watch::Sender<bool>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

#[tokio::test]
async fn a_client_that_takes_nothing_for_too_long_loses_its_connection_and_its_handler_ends() {
    let (dropped, _) = watch::channel(false);
    let flood = {
        let dropped = Arc::new(dropped.clone());
        move |cx: Context| {
            let watch = Watch((*dropped).clone());
            async move {
                loop {
                    cx.log(LoggingLevel::Error, None, "x".repeat(LONG_NAME));
                    tokio::task::yield_now().await;
                    if *watch.0.borrow() {
                        return "never";
                    }
                }
            }
        }
    };
    let server = Server::new("flooding", "1").tool(Tool::new("flood", flood));
    let shop = Shop::of(server, |listener| listener.write_timeout(Duration::from_millis(200))).await;
    let mut message = call(1, "flood", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "debug".into();
    let mut peer = shop.connect().await;
    peer.say(&request(&head(&message), &message.to_string())).await;
    let mut seen = dropped.subscribe();
    let ended = tokio::time::timeout(LONG, seen.wait_for(|dropped| *dropped)).await;
    ended.expect("the handler ends, though nobody reads").unwrap();
    shop.serves().await;
}

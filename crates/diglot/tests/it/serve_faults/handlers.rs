//! Handlers that panic and handlers that never end, in both eras, over HTTP and over a pipe.

use std::sync::Arc;
use std::time::Duration;

use diglot::server::{Prompt, PromptArguments, Resource, Server};
use diglot::{Context, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::shop::{LONG, Shop, head, request};
use crate::serve_http::desk::{Desk, ask_for, call, legacy, modern, modern_post, open, post};
use crate::serve_pipe::stage::{META, Peer as Pipe};

async fn panics(cx: Context) -> &'static str {
    assert!(cx.parts::<u8>().is_some(), "this handler is broken");
    "never"
}

async fn panics_later(cx: Context) -> &'static str {
    tokio::task::yield_now().await;
    panics(cx).await
}

/// Everything that can panic at once, after a while, and before there is a future at all.
fn broken() -> Server {
    Server::new("broken", "1")
        .tool(Tool::new("at_once", panics))
        .tool(Tool::new("later", panics_later))
        .tool(Tool::new("before", |cx: Context| {
            assert!(cx.parts::<u8>().is_some(), "this closure is broken");
            std::future::ready("never")
        }))
        .tool(Tool::new("good", async |_: Context| "good"))
        .prompt(Prompt::new("prompt", async |_: PromptArguments, cx: Context| panics(cx).await))
        .resource(Resource::new("r://1", "resource", async |_: String, cx: Context| panics(cx).await))
}

fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("tools/call", json!({ "name": "at_once" })),
        ("tools/call", json!({ "name": "later" })),
        ("tools/call", json!({ "name": "before" })),
        ("prompts/get", json!({ "name": "prompt" })),
        ("resources/read", json!({ "uri": "r://1" })),
    ]
}

#[tokio::test]
async fn a_panic_fails_its_request_over_http_and_nothing_else() {
    let service = broken().into_http_service();
    let session = open(&service, "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    for (method, params) in requests() {
        let told = "Internal error: the handler panicked";
        let failed = ask_for(&service, modern_post(&modern(1, method, params.clone()), &[])).await;
        assert_eq!(failed.json()["error"]["message"], told, "{method} {params}");
        let failed = ask_for(&service, post(&legacy(1, method, params.clone()), &headers)).await;
        assert_eq!(failed.json()["error"]["message"], told, "{method} {params}");
        let good =
            ask_for(&service, post(&legacy(2, "tools/call", json!({ "name": "good" })), &headers)).await;
        assert_eq!(good.json()["result"]["content"][0]["text"], "good");
    }
}

#[tokio::test]
async fn a_panic_fails_its_request_over_a_pipe_and_nothing_else() {
    let mut pipe = Pipe::of(broken());
    pipe.initialize("2025-11-25", "{}").await;
    for (method, params) in requests() {
        for message in [legacy(1, method, params.clone()), modern(1, method, params.clone())] {
            let failed = pipe.ask(&message.to_string()).await;
            assert_eq!(failed["error"]["message"], "Internal error: the handler panicked", "{message}");
        }
        let good = pipe.ask(&call(2, "good", json!({})).to_string()).await;
        assert_eq!(good["result"]["content"][0]["text"], "good");
    }
}

#[tokio::test]
async fn a_handler_that_never_ends_is_dropped_when_its_client_vanishes() {
    let desk = Desk::new();
    let shop = Shop::of(desk.server.clone(), |listener| listener).await;
    let mut peers = Vec::new();
    for id in 0..20 {
        let mut peer = shop.connect().await;
        let message = call(id, if id % 2 == 0 { "wait" } else { "tell_and_wait" }, json!({}));
        peer.say(&request(&head(&message), &message.to_string())).await;
        peers.push(peer);
    }
    desk.is_waiting(20).await;
    drop(peers);
    tokio::time::timeout(LONG, desk.has_dropped(20)).await.expect("every handler is dropped");
    shop.serves().await;
}

#[tokio::test]
async fn a_handler_that_never_ends_is_dropped_when_a_legacy_client_cancels_it() {
    let desk = Desk::new();
    let service = desk.service();
    let session = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str())];
    let wait = legacy(7, "tools/call", json!({ "name": "wait", "arguments": {} }));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    let cancelled = async {
        desk.is_waiting(1).await;
        assert_eq!(ask_for(&service, post(&cancel, &headers)).await.status, 202);
        desk.has_dropped(1).await;
    };
    let (answer, ()) = tokio::join!(ask_for(&service, post(&wait, &headers)), cancelled);
    assert_eq!(answer.text, "", "a request that was withdrawn has no answer");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_ends_does_not_keep_a_listener_from_its_end() {
    let desk = Desk::new();
    let shop =
        Shop::of(desk.server.clone(), |listener| listener.shutdown_timeout(Duration::from_secs(3))).await;
    let mut peer = shop.connect().await;
    let message = call(1, "wait", json!({}));
    peer.say(&request(&head(&message), &message.to_string())).await;
    desk.is_waiting(1).await;
    shop.stop.send(()).unwrap();
    shop.served.await.unwrap();
    desk.has_dropped(1).await;
}

#[tokio::test]
async fn a_pipe_that_breaks_drops_all_that_is_under_way() {
    let desk = Desk::new();
    let (client, end) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(end);
    let server = desk.server.clone().drain_time(Duration::ZERO);
    let serving = tokio::spawn(server.serve_pipe(reader, writer));
    let mut client = client;
    for id in 0..10 {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"wait\",{META}}}}}\n"
        );
        tokio::io::AsyncWriteExt::write_all(&mut client, line.as_bytes()).await.unwrap();
    }
    desk.is_waiting(10).await;
    drop(client);
    serving.await.unwrap().unwrap();
    desk.has_dropped(10).await;
}

#[tokio::test]
async fn a_handler_that_is_dropped_may_panic_on_its_way_out() {
    struct Sore(Arc<Notify>);
    impl Drop for Sore {
        fn drop(&mut self) {
            self.0.notify_one();
            if !std::thread::panicking() {
                panic!("dropped with a panic");
            }
        }
    }
    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let tool = {
        let (begun, dropped) = (begun.clone(), dropped.clone());
        move |_: Context| {
            let (begun, sore) = (begun.clone(), Sore(dropped.clone()));
            async move {
                begun.notify_one();
                std::future::pending::<()>().await;
                drop(sore);
            }
        }
    };
    let shop = Shop::of(Server::new("sore", "1").tool(Tool::new("sore", tool)), |listener| listener).await;
    let mut peer = shop.connect().await;
    let message = call(1, "sore", json!({}));
    peer.say(&request(&head(&message), &message.to_string())).await;
    begun.notified().await;
    drop(peer);
    dropped.notified().await;
    shop.serves().await;
}

//! Requests that meet a connection which is gone already: sent or not, repeated or not.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diglot::error::TransportFault;
use diglot::http::{BoxError, Unsent};
use diglot::{Client, Error, Mode};
use serde_json::json;

use super::site::{Reply, Site, discovery, initialization, result, stream, text};

/// A server that loses the first `lost` requests after the opening.
fn flaky(lost: usize, error: fn() -> BoxError) -> Site {
    let left = Arc::new(AtomicUsize::new(lost));
    Site::new(move |seen| match seen.method.as_str() {
        "server/discover" => result(seen, &discovery()),
        "initialize" => result(seen, &initialization()),
        "notifications/initialized" => text(202, ""),
        _ if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() => {
            Reply::Fail(error())
        }
        "tools/list" => result(seen, &json!({"resultType": "complete", "tools": []})),
        _ => result(seen, &json!({"resultType": "complete", "content": []})),
    })
}

fn reset() -> BoxError {
    io::Error::from(io::ErrorKind::ConnectionReset).into()
}

fn unsent() -> BoxError {
    Unsent::new(reset()).into()
}

async fn connect(site: &Site, mode: Mode) -> Client {
    Client::builder("tests", "1").mode(mode).connect(site.transport()).await.unwrap()
}

#[tokio::test]
async fn a_request_of_which_nothing_was_sent_is_repeated_once_even_a_call() {
    for mode in [Mode::Modern, Mode::Legacy] {
        let site = flaky(1, unsent);
        connect(&site, mode).await.call_tool("pay", ()).await.unwrap();
        assert_eq!(site.count("tools/call"), 2);
        let site = flaky(2, unsent);
        let error = connect(&site, mode).await.call_tool("pay", ()).await.unwrap_err();
        let Error::Transport(detail) = &error else { panic!("{error:?}") };
        assert_eq!(
            (&detail.fault, detail.sent, site.count("tools/call")),
            (&TransportFault::Broken, false, 2)
        );
        assert!(!error.to_string().contains("may have acted"), "{error}");
    }
}

#[tokio::test]
async fn a_request_that_may_have_been_sent_is_repeated_only_if_it_is_safe() {
    for mode in [Mode::Modern, Mode::Legacy] {
        let site = flaky(1, reset);
        let client = connect(&site, mode).await;
        let error = client.call_tool("pay", ()).await.unwrap_err();
        assert!(error.to_string().contains("the server may have acted on it"), "{error}");
        assert_eq!(site.count("tools/call"), 1);
        let site = flaky(1, reset);
        connect(&site, mode).await.list_tools().await.unwrap();
        assert_eq!(site.count("tools/list"), 2);
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_not_asked_twice() {
    let site = flaky(1, || io::Error::from(io::ErrorKind::ConnectionRefused).into());
    let error = connect(&site, Mode::Modern).await.list_tools().await.unwrap_err();
    assert!(matches!(&error, Error::Transport(detail) if detail.fault == TransportFault::Refused));
    assert_eq!(site.count("tools/list"), 1);
}

#[tokio::test]
async fn a_modern_stream_that_breaks_fails_its_own_request_and_nothing_else() {
    for breaks in [true, false] {
        let site = Site::new(move |seen| match seen.method.as_str() {
            "server/discover" => result(seen, &discovery()),
            "tools/list" => result(seen, &json!({"resultType": "complete", "tools": []})),
            // What a legacy client would go on from.
            _ => stream(&["id: 1\nretry: 1\ndata:\n\n"], breaks),
        });
        let client = connect(&site, Mode::Auto).await;
        let (prompts, tools) = tokio::join!(client.list_prompts(), client.list_tools());
        match prompts.unwrap_err() {
            Error::Transport(detail) => assert!(breaks && detail.sent && detail.status == Some(200)),
            error => assert!(!breaks && matches!(error, Error::Protocol(_)), "{error:?}"),
        }
        tools.unwrap();
        client.list_tools().await.unwrap();
        let mut methods = site.methods(0);
        methods.sort_unstable();
        assert_eq!(methods, ["prompts/list", "server/discover", "tools/list", "tools/list"]);
    }
}

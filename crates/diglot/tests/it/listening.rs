//! Hearing of changes, with both ends our own, over every wire and in both eras.

use std::time::Duration;

use diglot::client::{Change, Subscription};
use diglot::http::HttpServer;
use diglot::server::{Resource, Server};
use diglot::types::SubscriptionFilter;
use diglot::{Client, Context, Mode, StreamableHttp, Tool};

use crate::wires::WIRES;

const MODES: [Mode; 2] = [Mode::Modern, Mode::Legacy];

fn server() -> Server {
    let text = |_: String, _: Context| std::future::ready("text".to_owned());
    Server::new("changes", "1")
        .tool(tool("first"))
        .resource(Resource::new("x:one", "one", text))
        .resource(Resource::new("x:two", "two", text))
}

fn tool(name: &str) -> Tool {
    Tool::new(name, |_: Context| std::future::ready("done"))
}

fn tools() -> SubscriptionFilter {
    SubscriptionFilter::new().tools_list_changed(true)
}

fn resource(uri: &str) -> SubscriptionFilter {
    SubscriptionFilter::new().resource_subscriptions(vec![uri.to_owned()])
}

async fn next(changes: &mut Subscription) -> Change {
    let next = tokio::time::timeout(Duration::from_secs(20), changes.next()).await;
    next.expect("it comes").expect("it goes on").expect("it does not fail")
}

fn updated(uri: &str) -> Change {
    Change::Resource(uri.to_owned())
}

#[tokio::test]
async fn one_program_hears_of_changes_in_both_eras_over_every_wire() {
    for wire in WIRES {
        for mode in MODES {
            let server = server();
            let builder = Client::builder("changes", "1").mode(mode);
            let (client, _kept) = (wire.connect)(builder, server.clone()).await;
            let client = client.unwrap();
            let mut changes =
                client.listen(tools().resource_subscriptions(vec!["x:one".into()])).await.unwrap();
            let acknowledged = changes.acknowledged();
            assert!(acknowledged.tools_list_changed, "{} {mode:?}", wire.name);
            assert_eq!(acknowledged.resource_subscriptions, ["x:one"], "{} {mode:?}", wire.name);

            server.add_tool(tool("second")).unwrap();
            assert_eq!(next(&mut changes).await, Change::Tools, "{} {mode:?}", wire.name);
            assert_eq!(client.list_tools().await.unwrap().len(), 2, "{} {mode:?}", wire.name);
            // Nobody asked for this one.
            server.resource_changed("x:two");
            server.resource_changed("x:one");
            assert_eq!(next(&mut changes).await, updated("x:one"), "{} {mode:?}", wire.name);

            changes.close().await;
            client.close().await;
        }
    }
}

#[tokio::test]
async fn two_subscriptions_hear_of_what_each_asked_for() {
    for wire in WIRES {
        for mode in MODES {
            let server = server();
            let builder = Client::builder("changes", "1").mode(mode);
            let (client, _kept) = (wire.connect)(builder, server.clone()).await;
            let client = client.unwrap();
            let mut one = client.listen(resource("x:one")).await.unwrap();
            let mut two = client.listen(resource("x:two")).await.unwrap();
            server.resource_changed("x:two");
            assert_eq!(next(&mut two).await, updated("x:two"), "{} {mode:?}", wire.name);
            server.resource_changed("x:one");
            assert_eq!(next(&mut one).await, updated("x:one"), "{} {mode:?}", wire.name);
            // The end of one is not the end of the other.
            one.close().await;
            server.resource_changed("x:two");
            assert_eq!(next(&mut two).await, updated("x:two"), "{} {mode:?}", wire.name);
            client.close().await;
        }
    }
}

#[tokio::test]
async fn a_close_of_the_client_ends_subscriptions_without_an_error() {
    for wire in WIRES {
        for mode in MODES {
            let builder = Client::builder("changes", "1").mode(mode);
            let (client, _kept) = (wire.connect)(builder, server()).await;
            let client = client.unwrap();
            let mut changes = client.listen(tools()).await.unwrap();
            client.close().await;
            assert!(changes.next().await.is_none(), "{} {mode:?}", wire.name);
            assert!(changes.next().await.is_none(), "{} {mode:?}", wire.name);
        }
    }
}

#[tokio::test]
async fn a_subscription_keeps_the_connection_open() {
    for wire in WIRES {
        for mode in MODES {
            let server = server();
            let builder = Client::builder("changes", "1").mode(mode);
            let (client, _kept) = (wire.connect)(builder, server.clone()).await;
            let client = client.unwrap();
            let mut changes = client.listen(tools()).await.unwrap();
            // On a pipe, the answer says that the server has read all that came before.
            client.list_tools().await.unwrap();
            drop(client);
            server.add_tool(tool("second")).unwrap();
            assert_eq!(next(&mut changes).await, Change::Tools, "{} {mode:?}", wire.name);
        }
    }
}

#[tokio::test]
async fn what_a_legacy_server_does_not_declare_is_not_acknowledged() {
    for wire in WIRES {
        let builder = Client::builder("changes", "1").mode(Mode::Legacy);
        let bare = Server::new("bare", "1").tool(tool("only"));
        let (client, _kept) = (wire.connect)(builder, bare).await;
        let client = client.unwrap();
        let wanted = tools().prompts_list_changed(true).resource_subscriptions(vec!["x:one".into()]);
        let changes = client.listen(wanted.clone()).await.unwrap();
        let missing = wanted.without(&changes.acknowledged());
        assert!(changes.acknowledged().tools_list_changed, "{}", wire.name);
        assert!(missing.prompts_list_changed, "{}", wire.name);
        assert_eq!(missing.resource_subscriptions, ["x:one"], "{}", wire.name);
    }
}

#[tokio::test]
async fn a_server_that_shuts_down_ends_modern_subscriptions_in_good_order() {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let listener = HttpServer::bind(server(), ([127, 0, 0, 1], 0)).await.unwrap();
    let transport = StreamableHttp::new(&listener.url()).unwrap();
    let stopping = async {
        // The sender is dropped to stop.
        let _ = stopped.await;
    };
    tokio::spawn(listener.with_graceful_shutdown(stopping).serve());
    let client = Client::builder("changes", "1").mode(Mode::Modern).connect(transport).await.unwrap();
    let mut changes = client.listen(tools()).await.unwrap();
    drop(stop);
    assert!(changes.next().await.is_none());
}

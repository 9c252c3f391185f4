//! Cancelling, closing, many requests at once, and connections that are used again.

use std::sync::Arc;
use std::time::Duration;

use diglot::Limits;
use diglot::error::TransportFault;
use diglot::transport::{Connection, Outbound, Transport};
use tokio::sync::Notify;

use super::net::{Net, all_shown, collect, event, initialize, legacy, modern, result};
use super::server::{Reply, Request};
use super::suite;

suite!(
    dropping_a_modern_exchange_closes_its_connection_and_sends_nothing,
    dropping_the_future_of_a_request_closes_its_connection,
    dropping_a_legacy_exchange_posts_a_cancellation_too,
    dropping_an_answered_exchange_cancels_nothing,
    a_close_waits_no_longer_than_its_bound,
    a_close_ends_what_is_under_way,
    dropping_a_connection_sends_nothing,
    a_hundred_requests_run_at_once,
    a_connection_is_used_again,
    a_kept_connection_that_breaks_under_a_request_leaves_open_whether_it_was_sent,
    a_stream_that_goes_on_after_its_answer_is_not_waited_for,
    a_transport_opens_more_than_once,
);

const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;

/// Begins a stream and never ends it; everything else is accepted.
fn dangling(request: &Request) -> Reply {
    match request.body.contains("tools/call") {
        true => Reply::stream().chunk(event(PROGRESS)).hold(),
        false => Reply::empty(202),
    }
}

async fn dropping_a_modern_exchange_closes_its_connection_and_sends_nothing(net: Net) {
    let site = net.serve(dangling).await;
    let connection = site.connect().await;
    let mut exchange = connection.send(modern(1, "tools/call")).await.unwrap();
    exchange.next().await.unwrap().unwrap();
    drop(exchange);
    site.record.closed(0).await;
    assert_eq!(site.record.requests().len(), 1);
}

async fn dropping_the_future_of_a_request_closes_its_connection(net: Net) {
    let site = net.reply(Reply::default().hold()).await;
    let connection = site.connect().await;
    {
        let sending = connection.send(modern(1, "tools/call"));
        tokio::select! {
            _ = sending => panic!("the server does not answer"),
            _ = site.record.request(1) => {}
        }
    }
    site.record.closed(0).await;
}

async fn dropping_a_legacy_exchange_posts_a_cancellation_too(net: Net) {
    let site = net.serve(dangling).await;
    let connection = site.connect().await;
    let mut exchange = connection.send(legacy(7, "tools/call")).await.unwrap();
    exchange.next().await.unwrap().unwrap();
    drop(exchange);
    site.record.closed(0).await;
    let cancellation = site.record.request(2).await;
    assert_eq!(
        cancellation.body,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#
    );
    assert_eq!(cancellation.header("mcp-protocol-version"), Some("2025-11-25"));
}

async fn dropping_an_answered_exchange_cancels_nothing(net: Net) {
    for reply in [
        Reply::json(200, &result(1)),
        Reply::stream().chunk(event(&result(1))).hold(),
        Reply::json(404, "{}"),
    ] {
        let site = net.reply(reply).await;
        let connection = site.connect().await;
        let mut exchange = connection.send(legacy(1, "tools/call")).await.unwrap();
        exchange.next().await.unwrap().unwrap();
        drop(exchange);
        // Had a cancellation been posted, it would come before this.
        tokio::task::yield_now().await;
        collect(connection.send(legacy(1, "ping")).await.unwrap()).await.unwrap();
        let requests = site.record.requests();
        assert!(requests.iter().all(|request| !request.body.contains("cancelled")), "{requests:?}");
    }
}

/// Mints a session and never answers its end.
fn deaf_to_delete(request: &Request) -> Reply {
    match request.method.as_str() {
        "DELETE" => Reply::default().hold(),
        _ => Reply::whole(200, "Content-Type: application/json\r\nMcp-Session-Id: one\r\n", result(1)),
    }
}

async fn a_close_waits_no_longer_than_its_bound(net: Net) {
    let site = net.serve(deaf_to_delete).await;
    let transport = site.transport("/mcp").close_timeout(Duration::from_millis(20));
    let connection = transport.open(&Limits::default()).await.unwrap();
    collect(connection.send(initialize(1)).await.unwrap()).await.unwrap();
    connection.close().await;
    assert_eq!(site.record.request(2).await.method, "DELETE");
}

async fn a_close_ends_what_is_under_way(net: Net) {
    let site = net.serve(dangling).await;
    let connection = site.connect().await;
    let mut exchange = connection.send(modern(1, "tools/call")).await.unwrap();
    exchange.next().await.unwrap().unwrap();
    let (next, ()) = tokio::join!(exchange.next(), connection.close());
    assert_eq!(next.unwrap().unwrap_err().fault, TransportFault::Ended);
    site.record.closed(0).await;
    assert_eq!(connection.send(modern(2, "ping")).await.unwrap_err().fault, TransportFault::Ended);
}

async fn dropping_a_connection_sends_nothing(net: Net) {
    let site = net.serve(deaf_to_delete).await;
    let connection = site.connect().await;
    collect(connection.send(initialize(1)).await.unwrap()).await.unwrap();
    drop(connection);
    let connection = site.connect().await;
    collect(connection.send(modern(1, "ping")).await.unwrap()).await.unwrap();
    assert!(site.record.requests().iter().all(|request| request.method == "POST"));
}

async fn a_hundred_requests_run_at_once(net: Net) {
    let all_asked = Arc::new(Notify::new());
    let gate = all_asked.clone();
    let site = net
        .serve(move |request| {
            let id = request.body.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
            let body = result(id.unwrap().parse().unwrap());
            let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            Reply::default().wait(&gate).then(format!("HTTP/1.1 200 OK\r\n{head}{body}"))
        })
        .await;
    let connection: Arc<dyn Connection> = site.connect().await.into();
    let asked: Vec<_> = (0..100)
        .map(|id| {
            let connection = connection.clone();
            tokio::spawn(async move { collect(connection.send(modern(id, "tools/call")).await?).await })
        })
        .collect();
    site.record.request(100).await;
    all_asked.notify_waiters();
    for (id, asked) in asked.into_iter().enumerate() {
        assert_eq!(all_shown(&asked.await.unwrap().unwrap()), [format!("result {id}")]);
    }
}

async fn a_connection_is_used_again(net: Net) {
    let site = net
        .serve(|request| match () {
            () if request.body.contains("streamed") => Reply::events(&event(&result(1))),
            () if request.body.contains("refused") => Reply::whole(404, "", "no"),
            () if request.body.contains("\"id\"") => Reply::json(200, &result(1)),
            () => Reply::whole(202, "", "accepted"),
        })
        .await;
    let connection = site.connect().await;
    for method in ["streamed", "whole", "refused", "streamed", "whole"] {
        collect(connection.send(modern(1, method)).await.unwrap()).await.unwrap();
        let notification = Outbound::notification("notifications/x", None);
        collect(connection.send(notification).await.unwrap()).await.unwrap();
    }
    assert_eq!((site.record.requests().len(), site.record.connections()), (10, 1));
}

async fn a_kept_connection_that_breaks_under_a_request_leaves_open_whether_it_was_sent(net: Net) {
    let site = net
        .serve(|request| match request.body.contains("first") {
            true => Reply::json(200, &result(1)),
            false => Reply::default().close(),
        })
        .await;
    let connection = site.connect().await;
    collect(connection.send(modern(1, "first")).await.unwrap()).await.unwrap();
    let error = connection.send(modern(2, "second")).await.unwrap_err();
    assert_eq!((error.fault, error.sent), (TransportFault::Broken, true));
    assert_eq!(site.record.requests().len(), 2, "the client itself does not send it again");
}

async fn a_stream_that_goes_on_after_its_answer_is_not_waited_for(net: Net) {
    let endless = "x".repeat(64 * 1024);
    let reply = Reply::stream().chunk(event(&result(1))).chunk(format!(": {endless}\n")).hold();
    let site = net.reply(reply).await;
    assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), ["result 1"]);
    site.record.closed(0).await;
}

async fn a_transport_opens_more_than_once(net: Net) {
    let site = net.reply(Reply::json(200, &result(1))).await;
    let transport = site.transport("/mcp");
    assert!(transport.reopens() && !transport.is_legacy_only());
    assert_eq!(transport.name(), "streamable-http");
    for _ in 0..2 {
        let connection = transport.open(&Limits::default()).await.unwrap();
        let all = collect(connection.send(modern(1, "ping")).await.unwrap()).await.unwrap();
        assert_eq!(all_shown(&all), ["result 1"]);
    }
    assert!(transport.http_sse().is_some());
    assert!(transport.streamable_only().http_sse().is_none());
}

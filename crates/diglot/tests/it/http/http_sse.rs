//! The deprecated HTTP+SSE transport.

use std::sync::Arc;
use std::time::Duration;

use diglot::error::{TransportError, TransportFault};
use diglot::transport::{Connection, Outbound, Transport};
use diglot::{Limits, Revision};
use tokio::sync::Notify;

use super::net::{Net, Site, all_shown, collect, event, initialize, legacy, result, shown};
use super::server::{Reply, Request};
use super::suite;

suite!(
    answers_come_over_the_stream,
    answers_may_come_before_their_post_ends,
    progress_goes_to_its_request_and_the_rest_is_unsolicited,
    an_endpoint_resolves_against_the_stream,
    an_endpoint_of_another_origin_is_refused,
    a_stream_without_an_endpoint_is_refused,
    what_is_no_stream_is_refused_with_its_status,
    an_endpoint_that_is_not_found_is_tried_once_below_the_prefix,
    a_refused_post_ends_its_exchange,
    the_end_of_the_stream_fails_every_request,
    dropping_an_exchange_posts_a_cancellation,
    closing_closes_the_stream,
    the_fallback_shares_address_headers_and_client,
);

const ENDPOINT: &str = "event: endpoint\ndata: /messages?id=1\n\n";

/// Serves a stream that names its endpoint and brings more when the gate opens; accepts every POST.
fn streaming(gate: &Arc<Notify>, more: &str) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let stream = Reply::stream().chunk(ENDPOINT).wait(gate).chunk(more).hold();
    move |request| match request.method.as_str() {
        "GET" => stream.clone(),
        _ => Reply::whole(202, "", "Accepted"),
    }
}

async fn open(site: &Site) -> Result<Box<dyn Connection>, TransportError> {
    let transport = site.http_sse("/v1/sse").endpoint_timeout(Duration::from_secs(5));
    transport.open(&Limits::default()).await
}

async fn answers_come_over_the_stream(net: Net) {
    let gate = Arc::default();
    let more = [": ping\n\n", &event(&result(2)), &event(&result(9)), &event(&result(1))].concat();
    let site = net.serve(streaming(&gate, &more)).await;
    let connection = open(&site).await.unwrap();
    let first = connection.send(initialize(1)).await.unwrap();
    let second = connection.send(legacy(2, "tools/list")).await.unwrap();
    let posted = async {
        site.record.request(3).await;
        gate.notify_one();
    };
    let (first, second, ()) = tokio::join!(collect(first), collect(second), posted);
    assert_eq!(all_shown(&first.unwrap()), ["result 1"]);
    assert_eq!(all_shown(&second.unwrap()), ["result 2"]);
    let get = site.record.request(1).await;
    assert_eq!((get.path.as_str(), get.header("accept")), ("/v1/sse", Some("text/event-stream")));
    let post =
        site.record.requests().into_iter().find(|request| request.body.contains("tools/list")).unwrap();
    assert_eq!(post.path, "/messages?id=1");
    assert_eq!(post.header("content-type"), Some("application/json"));
}

async fn answers_may_come_before_their_post_ends(net: Net) {
    let gate = Arc::<Notify>::default();
    let stream = Reply::stream().chunk(ENDPOINT).wait(&gate).chunk(event(&result(1))).hold();
    let site = net
        .serve(move |request| match request.method.as_str() {
            "GET" => stream.clone(),
            _ => Reply::default().hold(),
        })
        .await;
    let connection = open(&site).await.unwrap();
    let exchange = connection.send(legacy(1, "tools/call")).await.unwrap();
    let posted = async {
        site.record.request(2).await;
        gate.notify_one();
    };
    let (all, ()) = tokio::join!(collect(exchange), posted);
    assert_eq!(all_shown(&all.unwrap()), ["result 1"]);
}

async fn progress_goes_to_its_request_and_the_rest_is_unsolicited(net: Net) {
    let gate = Arc::default();
    let progress = |token| {
        let params = format!(r#"{{"progressToken":{token},"progress":1}}"#);
        event(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#))
    };
    let more = [
        &progress("1"),
        &event(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#),
        &event(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        &progress("8"),
        &event(&result(1)),
    ];
    let site = net.serve(streaming(&gate, &more.map(String::as_str).concat())).await;
    let connection = open(&site).await.unwrap();
    let exchange = connection.send(legacy(1, "tools/call")).await.unwrap();
    gate.notify_one();
    assert_eq!(all_shown(&collect(exchange).await.unwrap()), ["notifications/progress", "result 1"]);
    for expected in ["notifications/tools/list_changed", "request ping", "notifications/progress"] {
        assert_eq!(shown(&connection.unsolicited().await.unwrap()), expected);
    }
}

async fn an_endpoint_resolves_against_the_stream(net: Net) {
    for (endpoint, path) in [
        ("/messages?id=1", "/messages?id=1"),
        ("messages/?id=1", "/v1/messages/?id=1"),
        ("../messages", "/messages"),
        ("?id=1", "/v1/sse?id=1"),
        ("http://HOST/messages", "/messages"),
    ] {
        let site = net
            .serve(move |request| match request.method.as_str() {
                "GET" => {
                    let endpoint = endpoint.replace("HOST", request.header("host").unwrap());
                    Reply::stream().chunk(format!("event: endpoint\ndata: {endpoint}\n\n")).hold()
                }
                _ => Reply::empty(202),
            })
            .await;
        let connection = open(&site).await.unwrap();
        connection.send(Outbound::notification("notifications/x", None)).await.unwrap();
        assert_eq!(site.record.request(2).await.path, path);
    }
}

async fn refused(net: &Net, reply: Reply) -> (TransportFault, Option<u16>) {
    let site = net.reply(reply).await;
    let transport = site.http_sse("/sse").endpoint_timeout(Duration::from_millis(100));
    let error = transport.open(&Limits::default()).await.err().expect("the stream is of no use");
    (error.fault, error.status)
}

async fn an_endpoint_of_another_origin_is_refused(net: Net) {
    let endpoint = "event: endpoint\ndata: http://internal.example:8000/messages?key=secret\n\n";
    let endpoint = (refused(&net, Reply::stream().chunk(endpoint).hold())).await;
    let expected = "http://internal.example:8000/messages".to_owned();
    assert_eq!(endpoint.0, TransportFault::ForeignEndpoint { endpoint: expected });
}

async fn a_stream_without_an_endpoint_is_refused(net: Net) {
    for reply in [
        Reply::stream().hold(),
        Reply::default().hold(),
        Reply::events(": nothing\n\n"),
        Reply::stream().chunk(event(&result(1))).chunk(ENDPOINT).hold(),
    ] {
        assert_eq!(refused(&net, reply).await.0, TransportFault::NoEndpoint);
    }
}

async fn what_is_no_stream_is_refused_with_its_status(net: Net) {
    let none = |page_title: Option<&str>| TransportFault::NoEventStream {
        page_title: page_title.map(str::to_owned),
    };
    let page = "<html><title>Hello</title></html>";
    assert_eq!(refused(&net, Reply::empty(405)).await, (none(None), Some(405)));
    assert_eq!(refused(&net, Reply::json(200, "{}")).await, (none(None), Some(200)));
    let page = Reply::whole(200, "Content-Type: text/html\r\n", page);
    assert_eq!(refused(&net, page).await, (none(Some("Hello")), Some(200)));
}

async fn an_endpoint_that_is_not_found_is_tried_once_below_the_prefix(net: Net) {
    let stream = Reply::stream().chunk(ENDPOINT).hold();
    let site = net
        .serve(move |request| match (request.method.as_str(), request.path.as_str()) {
            ("GET", _) => stream.clone(),
            (_, "/v1/messages?id=1") => Reply::empty(202),
            _ => Reply::empty(404),
        })
        .await;
    let connection = open(&site).await.unwrap();
    for _ in 0..2 {
        let sent = connection.send(Outbound::notification("notifications/x", None)).await.unwrap();
        assert_eq!(all_shown(&collect(sent).await.unwrap()), [""; 0]);
    }
    let paths: Vec<String> = site.record.requests().into_iter().skip(1).map(|request| request.path).collect();
    assert_eq!(paths, ["/messages?id=1", "/v1/messages?id=1", "/v1/messages?id=1"]);
}

async fn a_refused_post_ends_its_exchange(net: Net) {
    let stream = Reply::stream().chunk(ENDPOINT).hold();
    let site = net
        .serve(move |request| match request.method.as_str() {
            "GET" => stream.clone(),
            _ => Reply::whole(400, "", "Could not parse message"),
        })
        .await;
    let connection = open(&site).await.unwrap();
    let exchange = connection.send(legacy(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&collect(exchange).await.unwrap()), ["400 text"]);
}

async fn the_end_of_the_stream_fails_every_request(net: Net) {
    let gate = Arc::<Notify>::default();
    let stream = Reply::stream().chunk(ENDPOINT).wait(&gate).close();
    let site = net
        .serve(move |request| match request.method.as_str() {
            "GET" => stream.clone(),
            _ => Reply::empty(202),
        })
        .await;
    let connection = open(&site).await.unwrap();
    let mut first = connection.send(legacy(1, "a")).await.unwrap();
    let mut second = connection.send(legacy(2, "b")).await.unwrap();
    let lost = async {
        site.record.request(3).await;
        gate.notify_one();
    };
    let (first, second, ()) = tokio::join!(first.next(), second.next(), lost);
    for end in [first, second] {
        let error = end.unwrap().unwrap_err();
        assert_eq!((error.fault, error.sent), (TransportFault::StreamLost, true));
    }
    assert!(connection.unsolicited().await.is_none());
    let late = connection.send(legacy(3, "c")).await.unwrap_err();
    assert_eq!((late.fault, late.sent), (TransportFault::StreamLost, false));
    assert_eq!(connection.failure().unwrap().fault, TransportFault::StreamLost);
}

async fn dropping_an_exchange_posts_a_cancellation(net: Net) {
    let site = net.serve(streaming(&Arc::default(), "")).await;
    let connection = open(&site).await.unwrap();
    let mut exchange = connection.send(legacy(7, "tools/call")).await.unwrap();
    tokio::select! {
        _ = exchange.next() => panic!("nothing answers"),
        _ = site.record.request(2) => {}
    }
    drop(exchange);
    let cancellation = site.record.request(3).await;
    assert!(cancellation.body.contains(r#""params":{"requestId":7}"#), "{cancellation:?}");
    assert_eq!(cancellation.header("mcp-protocol-version"), Some(Revision::V2025_11_25.as_str()));
}

async fn closing_closes_the_stream(net: Net) {
    let stream = Reply::stream().chunk(ENDPOINT).hold();
    let site = net.reply(stream).await;
    let connection = open(&site).await.unwrap();
    connection.close().await;
    site.record.closed(0).await;
    assert_eq!(connection.send(initialize(1)).await.unwrap_err().fault, TransportFault::Ended);
    let connection = open(&site).await.unwrap();
    drop(connection);
    site.record.closed(1).await;
}

async fn the_fallback_shares_address_headers_and_client(net: Net) {
    let site = net.reply(Reply::stream().chunk(ENDPOINT).hold()).await;
    let transport = site.transport("/mcp").bearer("token").unwrap().http_sse().unwrap();
    assert_eq!((transport.name(), transport.is_legacy_only()), ("http+sse", true));
    transport.open(&Limits::default()).await.unwrap();
    let request = site.record.request(1).await;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/mcp"));
    assert_eq!(request.header("authorization"), Some("Bearer token"));
}

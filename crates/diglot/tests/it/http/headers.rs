//! Which headers a message carries, by its era and its moment.

use diglot::Revision;
use diglot::jsonrpc::Id;
use diglot::transport::{Connection, Outbound, Transport};
use diglot::{Limits, error::TransportFault};

use super::net::{Net, collect, initialize, legacy, modern, result};
use super::server::{Reply, Request};
use super::suite;

suite!(
    every_post_says_what_it_carries_and_takes,
    a_modern_request_mirrors_its_message,
    the_probe_carries_the_revision_that_it_offers,
    a_modern_notification_mirrors_its_method,
    initialize_carries_no_version,
    a_legacy_message_carries_the_version_from_2025_06_18_on,
    the_session_is_taken_from_initialize_alone,
    the_session_is_sent_ever_after_and_ended_at_the_close,
    a_modern_message_never_carries_a_session,
    a_new_initialize_begins_a_new_session,
    a_users_headers_go_with_every_request,
);

/// Answers anything with a result of its id, and mints a session that is named after the request's method.
fn minting(request: &Request) -> Reply {
    let session = format!("Content-Type: application/json\r\nMcp-Session-Id: of-{}\r\n", word(request));
    match request.method.as_str() {
        "DELETE" => Reply::empty(405),
        _ if !request.body.contains("\"id\"") => Reply::whole(202, &session, ""),
        _ => Reply::whole(200, &session, result(1)),
    }
}

/// The method in the body of a request.
fn word(request: &Request) -> String {
    let rest = request.body.split("\"method\":\"").nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default().replace('/', "-")
}

async fn send(connection: &dyn Connection, outbound: Outbound) {
    collect(connection.send(outbound).await.unwrap()).await.unwrap();
}

async fn every_post_says_what_it_carries_and_takes(net: Net) {
    for outbound in [modern(1, "ping"), initialize(1), legacy(1, "ping")] {
        let site = net.serve(minting).await;
        site.ask(outbound).await.unwrap();
        let request = site.record.request(1).await;
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/mcp"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        assert_eq!(request.header("host"), Some(site.host().as_str()));
    }
}

async fn a_modern_request_mirrors_its_message(net: Net) {
    let site = net.serve(minting).await;
    let mut outbound = modern(1, "tools/call");
    outbound.name = Some("grüße".to_owned());
    outbound.param_headers = vec![
        ("Mcp-Param-Region".to_owned(), "eu".to_owned()),
        ("Mcp-Param-A".to_owned(), "=?base64?IGEg?=".to_owned()),
    ];
    site.ask(outbound).await.unwrap();
    let request = site.record.request(1).await;
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(request.header("mcp-method"), Some("tools/call"));
    assert_eq!(request.header("mcp-name"), Some("=?base64?Z3LDvMOfZQ==?="));
    assert_eq!(request.header("mcp-param-region"), Some("eu"));
    assert_eq!(request.header("mcp-param-a"), Some("=?base64?IGEg?="));
}

async fn the_probe_carries_the_revision_that_it_offers(net: Net) {
    let site = net.serve(minting).await;
    site.ask(modern(1, "server/discover").opening()).await.unwrap();
    let request = site.record.request(1).await;
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(request.header("mcp-method"), Some("server/discover"));
}

async fn a_modern_notification_mirrors_its_method(net: Net) {
    let site = net.serve(minting).await;
    let outbound = Outbound::notification("notifications/x", None).at(Revision::V2026_07_28);
    site.ask(outbound).await.unwrap();
    let request = site.record.request(1).await;
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(request.header("mcp-method"), Some("notifications/x"));
}

async fn initialize_carries_no_version(net: Net) {
    let site = net.serve(minting).await;
    site.ask(initialize(1)).await.unwrap();
    let request = site.record.request(1).await;
    for name in ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"] {
        assert_eq!(request.header(name), None, "{name}");
    }
}

async fn a_legacy_message_carries_the_version_from_2025_06_18_on(net: Net) {
    for (revision, expected) in [
        (Revision::V2024_11_05, None),
        (Revision::V2025_03_26, None),
        (Revision::V2025_06_18, Some("2025-06-18")),
        (Revision::V2025_11_25, Some("2025-11-25")),
    ] {
        let site = net.serve(minting).await;
        site.ask(Outbound::request(Id::from(1), "tools/list", None).at(revision)).await.unwrap();
        let request = site.record.request(1).await;
        assert_eq!(request.header("mcp-protocol-version"), expected);
        assert_eq!(request.header("mcp-method"), None);
    }
}

async fn the_session_is_taken_from_initialize_alone(net: Net) {
    let site = net.serve(minting).await;
    let connection = site.connect().await;
    send(&*connection, modern(1, "server/discover").opening()).await;
    send(&*connection, legacy(1, "tools/list")).await;
    send(&*connection, legacy(1, "tools/list")).await;
    assert_eq!(site.record.request(3).await.header("mcp-session-id"), None);
    connection.close().await;
    assert_eq!(site.record.requests().len(), 3);

    let refusing = net_refusing(&net).await;
    let connection = refusing.connect().await;
    send(&*connection, initialize(1)).await;
    send(&*connection, legacy(1, "tools/list")).await;
    assert_eq!(refusing.record.request(2).await.header("mcp-session-id"), None);
}

async fn net_refusing(net: &Net) -> super::net::Site {
    let headers = "Content-Type: application/json\r\nMcp-Session-Id: one\r\n";
    net.reply(Reply::whole(400, headers, result(1))).await
}

async fn the_session_is_sent_ever_after_and_ended_at_the_close(net: Net) {
    let site = net.serve(minting).await;
    let connection = site.connect().await;
    send(&*connection, initialize(1)).await;
    let initialized = Outbound::notification("notifications/initialized", None).at(Revision::V2025_11_25);
    send(&*connection, initialized).await;
    send(&*connection, legacy(1, "tools/list")).await;
    connection.close().await;
    for (at, method) in [(2, "POST"), (3, "POST"), (4, "DELETE")] {
        let request = site.record.request(at).await;
        assert_eq!((request.method.as_str(), request.path.as_str()), (method, "/mcp"));
        assert_eq!(request.header("mcp-session-id"), Some("of-initialize"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"));
    }
    connection.close().await;
    assert_eq!(site.record.requests().len(), 4);
}

async fn a_modern_message_never_carries_a_session(net: Net) {
    let site = net.serve(minting).await;
    let connection = site.connect().await;
    send(&*connection, initialize(1)).await;
    send(&*connection, modern(1, "tools/list")).await;
    assert_eq!(site.record.request(2).await.header("mcp-session-id"), None);
}

async fn a_new_initialize_begins_a_new_session(net: Net) {
    let site = net
        .serve(|request| match (word(request).as_str(), request.header("mcp-session-id")) {
            ("initialize", None) if request.body.contains("\"id\":1") => {
                Reply::whole(200, "Content-Type: application/json\r\nMcp-Session-Id: one\r\n", result(1))
            }
            ("initialize", None) => Reply::json(200, &result(2)),
            _ => Reply::empty(404),
        })
        .await;
    let connection = site.connect().await;
    send(&*connection, initialize(1)).await;
    send(&*connection, legacy(9, "tools/list")).await;
    send(&*connection, initialize(2)).await;
    send(&*connection, legacy(9, "tools/list")).await;
    let sessions: Vec<_> =
        site.record.requests().iter().map(|own| own.header("mcp-session-id").map(str::to_owned)).collect();
    assert_eq!(sessions, [None, Some("one".to_owned()), None, None]);
}

async fn a_users_headers_go_with_every_request(net: Net) {
    let site = net.serve(minting).await;
    let transport = site.transport("/mcp?key=1").bearer("token").unwrap();
    let transport = transport.header("X-Team", "blue").unwrap().header("x-team", "grün").unwrap();
    let connection = transport.open(&Limits::default()).await.unwrap();
    send(&*connection, initialize(1)).await;
    send(&*connection, legacy(1, "tools/list")).await;
    connection.close().await;
    for at in 1..=3 {
        let request = site.record.request(at).await;
        assert_eq!(request.path, "/mcp?key=1");
        assert_eq!(request.header("authorization"), Some("Bearer token"));
        assert_eq!(request.header("x-team"), Some("grün"));
    }
}

#[tokio::test]
async fn a_header_of_the_protocol_is_refused_by_its_name() {
    let transport = super::net::Net::custom().reply(Reply::empty(200)).await.transport("/mcp");
    for name in ["Accept", "Mcp-Session-Id", "mcp-protocol-version", "Host", "Content-Type"] {
        let error = transport.clone().header(name, "sesame").unwrap_err();
        assert!(matches!(error.fault, TransportFault::BadHeader(_)));
        assert!(error.to_string().contains(name) && !error.to_string().contains("sesame"), "{error}");
    }
    let error = transport.bearer("sesame\n").unwrap_err();
    assert!(error.to_string().contains("newline") && !error.to_string().contains("sesame"), "{error}");
}

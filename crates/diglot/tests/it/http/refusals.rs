//! Answers that are no success, and requests that get none.

use diglot::Limits;
use diglot::error::TransportFault;
use diglot::http::StreamableHttp;
use diglot::transport::{HttpReply, Inbound, Transport};

use super::net::{Custom, Net, all_shown, initialize, legacy, modern, result};
use super::server::Reply;
use super::suite;

suite!(
    an_error_status_is_read_for_json_rpc_whatever_its_type,
    an_error_status_without_json_rpc_is_told_as_it_is,
    an_error_status_counts_though_its_body_breaks_off,
    a_refused_notification_is_told,
    a_demand_for_credentials_is_told_with_its_challenges,
    a_reply_says_what_its_request_carried,
    an_excerpt_keeps_to_its_limit,
    a_server_that_closes_without_an_answer_may_have_acted,
);

const REFUSAL: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}"#;

async fn an_error_status_is_read_for_json_rpc_whatever_its_type(net: Net) {
    let answered = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let named = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no"}}"#;
    for (status, content_type, body, expected) in [
        (400, "application/json", REFUSAL, "400 error null -32000"),
        (400, "text/plain", REFUSAL, "400 error null -32000"),
        (404, "text/html", answered, "404 error 1 -32601"),
        (406, "application/json", named, "406 error \"server-error\" -32600"),
        (500, "application/json", &format!("[{REFUSAL}]"), "500 error null -32000"),
    ] {
        let site = net.reply(Reply::whole(status, &format!("Content-Type: {content_type}\r\n"), body)).await;
        assert_eq!(all_shown(&site.ask(modern(1, "server/discover")).await.unwrap()), [expected]);
    }
    let site = net.reply(Reply::whole(400, "", REFUSAL)).await;
    assert_eq!(all_shown(&site.ask(initialize(1)).await.unwrap()), ["400 error null -32000"]);
}

async fn an_error_status_without_json_rpc_is_told_as_it_is(net: Net) {
    let page = "<html><title>502 Bad Gateway</title></html>";
    for (reply, expected) in [
        (Reply::empty(404), "404 empty"),
        (Reply::whole(404, "Content-Type: text/plain\r\n", "Invalid session ID"), "404 text"),
        (Reply::whole(502, "Content-Type: text/html\r\n", page), "502 page Some(\"502 Bad Gateway\")"),
        (Reply::json(400, r#"{"error":{"code":"invalid_payload"}}"#), "400 other JSON"),
        (Reply::json(400, r#"{"jsonrpc":"2.0","method":"x"}"#), "400 other JSON"),
        (Reply::raw("HTTP/1.1 304 Not Modified\r\n\r\n"), "304 empty"),
    ] {
        let site = net.reply(reply).await;
        assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), [expected]);
    }
}

async fn an_error_status_counts_though_its_body_breaks_off(net: Net) {
    let head = "HTTP/1.1 503 X\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let site = net.reply(Reply::raw(head).then("{\"jsonrpc\"").close()).await;
    let all = site.ask(modern(1, "ping")).await.unwrap();
    assert!(all_shown(&all)[0].starts_with("503 "), "{all:?}");
}

async fn a_refused_notification_is_told(net: Net) {
    let site = net.reply(Reply::json(400, REFUSAL)).await;
    let outbound = diglot::transport::Outbound::notification("notifications/initialized", None);
    assert_eq!(all_shown(&site.ask(outbound).await.unwrap()), ["400 error null -32000"]);
}

async fn asked(transport: StreamableHttp) -> HttpReply {
    let connection = transport.open(&Limits::default().excerpt_bytes(32)).await.unwrap();
    let mut exchange = connection.send(modern(1, "ping")).await.unwrap();
    match exchange.next().await {
        Some(Ok(Inbound::Http(reply))) => *reply,
        other => panic!("no reply: {other:?}"),
    }
}

async fn a_demand_for_credentials_is_told_with_its_challenges(net: Net) {
    let headers = "WWW-Authenticate: Bearer resource_metadata=\"https://a/b\", scope=\"x y\"\r\n\
                   WWW-Authenticate: Basic realm=\"z\"\r\nRetry-After: 5\r\n";
    let site = net.reply(Reply::whole(401, headers, "")).await;
    let reply = asked(site.transport("/mcp")).await;
    assert_eq!(reply.status, 401);
    assert_eq!(reply.retry_after.as_deref(), Some("5"));
    let schemes: Vec<_> = reply.challenges.iter().map(|challenge| challenge.scheme.as_str()).collect();
    assert_eq!(schemes, ["Bearer", "Basic"]);
    assert_eq!(reply.challenges[0].resource_metadata(), Some("https://a/b"));
}

async fn a_reply_says_what_its_request_carried(net: Net) {
    let session = "Content-Type: application/json\r\nMcp-Session-Id: one\r\n";
    let site = net
        .serve(move |request| match request.body.contains("initialize") {
            true => Reply::whole(200, session, result(1)),
            false => Reply::empty(404),
        })
        .await;
    let connection = site.transport("/mcp").bearer("token").unwrap().open(&Limits::default()).await.unwrap();
    super::net::collect(connection.send(initialize(1)).await.unwrap()).await.unwrap();
    let mut exchange = connection.send(legacy(2, "ping")).await.unwrap();
    let Some(Ok(Inbound::Http(reply))) = exchange.next().await else { panic!("a reply was to come") };
    assert!(reply.had_session && reply.had_credentials);
    let reply = asked(site.transport("/mcp")).await;
    assert!(!reply.had_session && !reply.had_credentials);
}

async fn an_excerpt_keeps_to_its_limit(net: Net) {
    let site = net.reply(Reply::whole(500, "Content-Type: text/plain\r\n", "x".repeat(100_000))).await;
    let reply = asked(site.transport("/mcp")).await;
    assert_eq!(reply.excerpt, format!("{}…", "x".repeat(32)));
}

async fn a_server_that_closes_without_an_answer_may_have_acted(net: Net) {
    let site = net.reply(Reply::default().close()).await;
    let error = site.ask(modern(1, "tools/call")).await.unwrap_err();
    assert_eq!((error.fault.clone(), error.sent), (TransportFault::Broken, true), "{error:?}");
}

async fn fault(transport: StreamableHttp) -> (TransportFault, bool) {
    let connection = transport.open(&Limits::default()).await.unwrap();
    let error = connection.send(modern(1, "ping")).await.unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
    (error.fault, error.sent)
}

#[tokio::test]
async fn a_port_where_nobody_listens_refuses_over_every_client() {
    let port = {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let refused = (TransportFault::Refused, false);
    assert_eq!(fault(StreamableHttp::new(&url).unwrap()).await, refused);
    assert_eq!(fault(StreamableHttp::over(&url, Custom::new()).unwrap()).await, refused);
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_that_is_not_there_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let transport = StreamableHttp::unix(folder.path().join("none.sock"), "/mcp").unwrap();
    assert_eq!(fault(transport).await, (TransportFault::Refused, false));
}

#[tokio::test]
async fn a_plain_port_speaks_no_tls() {
    for reply in [b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice(), b""] {
        let port = super::server::serve_any(reply).await;
        let transport = StreamableHttp::new(&format!("https://127.0.0.1:{port}/mcp")).unwrap();
        assert_eq!(fault(transport).await, (TransportFault::Tls, false));
    }
}

#[tokio::test]
async fn a_host_without_an_address_is_told_as_such() {
    let url = "http://no-such-host.invalid/mcp";
    let unknown = (TransportFault::UnknownHost, false);
    assert_eq!(fault(StreamableHttp::new(url).unwrap()).await, unknown);
    assert_eq!(fault(StreamableHttp::over(url, Custom::new()).unwrap()).await, unknown);
}

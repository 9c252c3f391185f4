//! What an answer to a request is read as.

use diglot::Limits;
use diglot::error::TransportFault;
use diglot::transport::{Inbound, OutboundKind, Transport};

use super::net::{Net, all_shown, collect, event, initialize, legacy, modern, result};
use super::server::Reply;
use super::suite;

suite!(
    a_json_body_is_its_message,
    the_type_of_json_may_be_spelled_in_any_way,
    a_batch_is_its_messages,
    a_stream_is_its_messages,
    a_stream_may_be_cut_between_any_two_bytes,
    events_that_are_no_messages_say_nothing,
    an_event_with_a_recovered_id_fails_its_request,
    a_stream_may_end_without_an_answer,
    messages_come_before_their_stream_ends,
    a_stream_that_begins_with_an_endpoint_is_the_old_transport,
    an_unlabelled_body_is_read_by_its_first_bytes,
    an_answer_over_the_limit_is_told_as_such,
    a_success_that_is_no_message_is_told_with_its_status,
    a_truncated_body_is_a_broken_connection,
    a_stream_cut_in_the_middle_is_a_broken_connection,
    a_stream_that_ends_within_an_event_is_a_broken_connection,
    any_success_delivers_a_notification,
    a_compressed_answer_is_an_error_that_names_its_encoding,
);

const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;

async fn a_json_body_is_its_message(net: Net) {
    let site = net.reply(Reply::json(200, &result(1))).await;
    assert_eq!(all_shown(&site.ask(modern(1, "tools/list")).await.unwrap()), ["result 1"]);
}

async fn the_type_of_json_may_be_spelled_in_any_way(net: Net) {
    for content_type in ["Application/JSON;charset=UTF-8", "application/json ; a=b", "application/mcp+json"] {
        let header = format!("Content-Type: {content_type}\r\n");
        let site = net.reply(Reply::whole(200, &header, result(1))).await;
        assert_eq!(all_shown(&site.ask(legacy(1, "ping")).await.unwrap()), ["result 1"], "{content_type}");
    }
}

async fn a_batch_is_its_messages(net: Net) {
    let site = net.reply(Reply::json(200, &format!("[{PROGRESS},{}]", result(1)))).await;
    let all = site.ask(legacy(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&all), ["notifications/progress", "result 1"]);
}

async fn a_stream_is_its_messages(net: Net) {
    let site = net.reply(Reply::events(&[event(PROGRESS), event(&result(1))].concat())).await;
    let all = site.ask(modern(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&all), ["notifications/progress", "result 1"]);
}

async fn a_stream_may_be_cut_between_any_two_bytes(net: Net) {
    let text = format!("id: 1\r\ndata:\r\n\r\n: ping\r\n\r\n{}data: {}\r\r", event(PROGRESS), result(1));
    let reply = text.as_bytes().iter().fold(Reply::stream(), |reply, byte| reply.chunk([*byte])).last();
    let site = net.reply(reply).await;
    let all = site.ask(modern(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&all), ["notifications/progress", "result 1"]);
}

async fn events_that_are_no_messages_say_nothing(net: Net) {
    let text = [
        "id: 7\nretry: 10\ndata:\n\n: comment\n\nevent: ping\ndata: {}\n\ndata: hello\n\ndata: {\"a\":1}\n\n",
        &event(&result(1)),
    ];
    let site = net.reply(Reply::events(&text.concat())).await;
    assert_eq!(all_shown(&site.ask(modern(1, "tools/list")).await.unwrap()), ["result 1"]);
}

async fn an_event_with_a_recovered_id_fails_its_request(net: Net) {
    let cut = |id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"a\n\n");
    let site = net.reply(Reply::events(&[cut(2), cut(1)].concat())).await;
    let all = site.ask(modern(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&all), ["unreadable Some(Number(1))"]);
}

async fn a_stream_may_end_without_an_answer(net: Net) {
    let site = net.reply(Reply::events(&event(PROGRESS))).await;
    assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), ["notifications/progress"]);
}

async fn messages_come_before_their_stream_ends(net: Net) {
    let gate = std::sync::Arc::default();
    let reply = Reply::stream().chunk(event(PROGRESS)).wait(&gate).chunk(event(&result(1))).hold();
    let site = net.reply(reply).await;
    let connection = site.connect().await;
    let mut exchange = connection.send(modern(1, "tools/call")).await.unwrap();
    assert_eq!(super::net::shown(&exchange.next().await.unwrap().unwrap()), "notifications/progress");
    gate.notify_one();
    // The server never ends the stream; the answer ends the exchange all the same.
    assert_eq!(all_shown(&collect(exchange).await.unwrap()), ["result 1"]);
}

async fn a_stream_that_begins_with_an_endpoint_is_the_old_transport(net: Net) {
    let reply = Reply::stream().chunk(": hello\n\nevent: endpoint\ndata: /messages?id=1\n\n").hold();
    let site = net.reply(reply).await;
    assert_eq!(all_shown(&site.ask(initialize(1)).await.unwrap()), ["endpoint /messages?id=1"]);
}

async fn an_unlabelled_body_is_read_by_its_first_bytes(net: Net) {
    let streams = [event(&result(1)), format!(":\n\ndata: {}\n\n", result(1))];
    for body in streams.iter().chain([&result(1), &format!("\u{feff} {}", result(1))]) {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let reply = body.as_bytes().iter().fold(Reply::raw(head), |reply, byte| reply.chunk([*byte])).last();
        let site = net.reply(reply).await;
        assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), ["result 1"], "{body:?}");
    }
    let site = net.reply(Reply::whole(200, "", "ok")).await;
    assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), ["200 text"]);
}

async fn an_answer_over_the_limit_is_told_as_such(net: Net) {
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}"}}}}"#, "x".repeat(2000));
    let foreign = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{}"}}}}"#, "x".repeat(2000));
    for (reply, expected) in [
        (Reply::json(200, &long), "too large 1000"),
        (Reply::whole(200, "", &long), "too large 1000"),
        (Reply::events(&event(&long)), "too large 1000"),
        (Reply::stream().chunk(event(&foreign)).chunk(event(&result(1))).last(), "result 1"),
        (Reply::json(400, &long), "400 too large 1000"),
    ] {
        let site = net.reply(reply).await;
        let limits = Limits::default().message_bytes(1000);
        let connection = site.transport("/mcp").open(&limits).await.unwrap();
        let all = collect(connection.send(modern(1, "tools/list")).await.unwrap()).await.unwrap();
        assert_eq!(all_shown(&all), [expected]);
    }
}

async fn a_success_that_is_no_message_is_told_with_its_status(net: Net) {
    let page = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>";
    for (reply, expected) in [
        (Reply::json(200, r#"{"error":{"code":"invalid_payload"}}"#), "200 other JSON"),
        (Reply::json(200, "{"), "200 other JSON"),
        (Reply::json(200, r#"{"jsonrpc":"2.0","id":1,"result":{"#), "200 unreadable"),
        (Reply::whole(200, "Content-Type: text/html\r\n", page), "200 page Some(\"Sign in\")"),
        (Reply::whole(200, "Content-Type: text/plain\r\n", "ok"), "200 text"),
        (Reply::json(200, ""), "200 empty"),
        (Reply::empty(202), "202 empty"),
        (Reply::raw("HTTP/1.1 204 No Content\r\n\r\n"), "204 empty"),
    ] {
        let site = net.reply(reply).await;
        assert_eq!(all_shown(&site.ask(modern(1, "ping")).await.unwrap()), [expected]);
    }
}

async fn a_truncated_body_is_a_broken_connection(net: Net) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let site = net.reply(Reply::raw(head).then(result(1)).close()).await;
    let error = site.ask(modern(1, "ping")).await.unwrap_err();
    assert_eq!((error.fault, error.status, error.sent), (TransportFault::Broken, Some(200), true));
}

async fn a_stream_cut_in_the_middle_is_a_broken_connection(net: Net) {
    let site = net.reply(Reply::stream().chunk(event(PROGRESS)).chunk("data: {\"jso").close()).await;
    let connection = site.connect().await;
    let mut exchange = connection.send(modern(1, "ping")).await.unwrap();
    assert!(matches!(exchange.next().await, Some(Ok(Inbound::Message(_)))));
    let error = exchange.next().await.unwrap().unwrap_err();
    assert_eq!((error.fault, error.status, error.sent), (TransportFault::Broken, Some(200), true));
    assert!(exchange.next().await.is_none());
}

async fn a_stream_that_ends_within_an_event_is_a_broken_connection(net: Net) {
    for cut in ["data: {\"jso".to_owned(), format!("data: {}\n", result(1))] {
        let error = net.reply(Reply::events(&cut)).await.ask(modern(1, "ping")).await.unwrap_err();
        assert_eq!((error.fault, error.status, error.sent), (TransportFault::Broken, Some(200), true));
    }
}

async fn any_success_delivers_a_notification(net: Net) {
    for reply in [
        Reply::empty(202),
        Reply::raw("HTTP/1.1 204 No Content\r\n\r\n"),
        Reply::json(200, ""),
        Reply::json(200, "null"),
        Reply::whole(200, "Content-Type: text/html\r\n", "<html>"),
        Reply::events(": hello\n\n"),
    ] {
        let site = net.reply(reply).await;
        let mut outbound = legacy(1, "notifications/initialized");
        outbound.kind = OutboundKind::Notification;
        assert_eq!(all_shown(&site.ask(outbound).await.unwrap()), [""; 0]);
    }
}

async fn a_compressed_answer_is_an_error_that_names_its_encoding(net: Net) {
    let header = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";
    let site = net.reply(Reply::whole(200, header, "\u{1f}nonsense")).await;
    let error = site.ask(modern(1, "tools/list")).await.unwrap_err();
    assert_eq!(error.fault, TransportFault::Compressed { encoding: "gzip".into() });
    assert!(error.to_string().contains("gzip"), "{error}");
    let header = "Content-Type: application/json\r\nContent-Encoding: identity\r\n";
    let site = net.reply(Reply::whole(200, header, result(1))).await;
    assert_eq!(all_shown(&site.ask(modern(1, "tools/list")).await.unwrap()), ["result 1"]);
}

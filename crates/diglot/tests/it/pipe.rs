//! The pipe engine, over streams in memory: the tests play the server.

use std::future::Future;

use diglot::Limits;
use diglot::error::TransportFault;
use diglot::jsonrpc::Id;
use diglot::transport::{Inbound, Outbound, Pipe, Transport};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::stage::{answer_of, failure_of, method_of, open, open_with, probe, request};

/// Says whether a future is still waiting after everything else came to rest.
async fn waits<T>(future: impl Future<Output = T>) -> bool {
    tokio::time::timeout(std::time::Duration::from_secs(5), future).await.is_err()
}

#[tokio::test]
async fn a_thousand_requests_take_their_answers_in_any_order() {
    let (connection, mut server) = open().await;
    let client = async {
        let mut exchanges = Vec::new();
        for id in 1..=1000 {
            exchanges.push((id, connection.send(request(id)).await.unwrap()));
        }
        for (id, mut exchange) in exchanges {
            assert_eq!(answer_of(&mut exchange).await, (id * 2).to_string());
            assert!(exchange.next().await.is_none());
        }
    };
    let server = async {
        let mut ids = Vec::new();
        for _ in 0..1000 {
            ids.push(server.id().await.as_i64().unwrap());
        }
        ids.sort_by_key(|id| (id % 7, -id));
        for id in ids {
            server.answer(id, id * 2).await;
        }
    };
    tokio::join!(client, server);
}

#[tokio::test]
async fn lines_that_are_no_messages_are_skipped() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    for noise in [
        "Server running on stdio",
        "🚀 ready",
        "",
        "\r",
        "null",
        "42",
        "[]",
        r#"{"level":"info","msg":"up"}"#,
        r#"{"level":"info","id":1}"#,
        r#"{"id":1, broken"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"#,
        "\u{feff}",
    ] {
        server.say(noise).await;
    }
    server.answer(1, "\"after all\"").await;
    assert_eq!(answer_of(&mut exchange).await, "\"after all\"");
}

#[tokio::test]
async fn a_byte_order_mark_and_a_carriage_return_do_not_hide_an_answer() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    server.say("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":true}\r").await;
    assert_eq!(answer_of(&mut exchange).await, "true");
}

#[tokio::test]
async fn an_error_without_an_id_answers_a_lone_opening_request() {
    for id in ["\"id\":null,", ""] {
        let (connection, mut server) = open().await;
        let mut exchange = connection.send(probe(1)).await.unwrap();
        server.say(&format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"no"}}}}"#)).await;
        assert_eq!(answer_of(&mut exchange).await, "no");
    }
}

#[tokio::test]
async fn an_error_without_an_id_answers_no_other_request() {
    const ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}"#;
    let (connection, mut server) = open().await;
    let mut ordinary = connection.send(request(1)).await.unwrap();
    server.say(ERROR).await;
    let mut opening = connection.send(probe(2)).await.unwrap();
    server.say(ERROR).await;
    server.answer(1, 10).await;
    server.answer(2, 20).await;
    assert_eq!(answer_of(&mut ordinary).await, "10");
    assert_eq!(answer_of(&mut opening).await, "20");
}

#[tokio::test]
async fn a_foreign_id_is_dropped() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    for foreign in ["2", "\"server-error\"", "\"01\"", "1.5", "true"] {
        server.answer(foreign, "\"foreign\"").await;
    }
    server.answer(1, "\"own\"").await;
    assert_eq!(answer_of(&mut exchange).await, "\"own\"");
}

#[tokio::test]
async fn an_id_may_come_back_in_another_spelling() {
    for spelling in ["\"7\"", "7.0", "70e-1"] {
        let (connection, mut server) = open().await;
        let mut exchange = connection.send(request(7)).await.unwrap();
        server.answer(spelling, 1).await;
        assert_eq!(answer_of(&mut exchange).await, "1");
    }
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(Outbound::request(Id::from("7"), "ping", None)).await.unwrap();
    server.answer(7, 1).await;
    assert_eq!(answer_of(&mut exchange).await, "1");
}

#[tokio::test]
async fn two_ids_that_look_alike_are_two_requests() {
    let (connection, mut server) = open().await;
    let mut number = connection.send(request(7)).await.unwrap();
    let mut text = connection.send(Outbound::request(Id::from("7"), "ping", None)).await.unwrap();
    server.answer("\"7\"", "\"text\"").await;
    server.answer("7", "\"number\"").await;
    assert_eq!(answer_of(&mut text).await, "\"text\"");
    assert_eq!(answer_of(&mut number).await, "\"number\"");
}

#[tokio::test]
async fn an_unreadable_answer_fails_only_its_request() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"#,
        r#"{"jsonrpc":"2.0","id":1,"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":42}"#,
    ] {
        let (connection, mut server) = open().await;
        let mut broken = connection.send(request(1)).await.unwrap();
        let mut sound = connection.send(request(2)).await.unwrap();
        server.say(line).await;
        server.answer(2, 20).await;
        assert_eq!(answer_of(&mut sound).await, "20");
        assert!(matches!(broken.next().await, Some(Ok(Inbound::Unreadable(_)))), "{line}");
        assert!(broken.next().await.is_none());
    }
}

#[tokio::test]
async fn a_line_over_the_limit_fails_only_its_request() {
    let (connection, mut server) = open_with(Limits::default().message_bytes(1000)).await;
    let mut large = connection.send(request(1)).await.unwrap();
    let mut small = connection.send(request(2)).await.unwrap();
    let long = "x".repeat(100_000);
    server.say(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"ask","params":["{long}"]}}"#)).await;
    server.answer(1, format_args!("\"{long}\"")).await;
    server.answer(2, 20).await;
    assert_eq!(answer_of(&mut small).await, "20");
    assert!(matches!(large.next().await, Some(Ok(Inbound::TooLarge(1000)))));
    assert!(large.next().await.is_none());
}

#[tokio::test]
async fn the_answers_in_a_batch_go_to_their_requests() {
    let (connection, mut server) = open().await;
    let mut first = connection.send(request(1)).await.unwrap();
    let mut second = connection.send(request(2)).await.unwrap();
    let mut third = connection.send(request(3)).await.unwrap();
    server
        .say(r#"[{"jsonrpc":"2.0","id":2,"result":20},7,{"jsonrpc":"2.0","id":3},{"jsonrpc":"2.0","id":1,"result":10}]"#)
        .await;
    assert_eq!(answer_of(&mut first).await, "10");
    assert_eq!(answer_of(&mut second).await, "20");
    assert!(matches!(third.next().await, Some(Ok(Inbound::Unreadable(_)))));
}

#[tokio::test]
async fn notifications_about_a_request_go_to_its_exchange() {
    let (connection, mut server) = open().await;
    let mut first = connection.send(request(1)).await.unwrap();
    let mut second = connection.send(request(2)).await.unwrap();
    let progress = |token: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
        )
    };
    server.say(&progress("2")).await;
    server.say(&progress("\"1\"")).await;
    server.say(&progress("3")).await;
    server
        .say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}"#)
        .await;
    server.answer(1, 10).await;
    server.answer(2, 20).await;

    assert_eq!(method_of(first.next().await.unwrap().unwrap()), "notifications/progress");
    assert_eq!(answer_of(&mut first).await, "10");
    assert_eq!(method_of(second.next().await.unwrap().unwrap()), "notifications/progress");
    assert_eq!(method_of(second.next().await.unwrap().unwrap()), "notifications/tools/list_changed");
    assert_eq!(answer_of(&mut second).await, "20");
    assert_eq!(method_of(connection.unsolicited().await.unwrap()), "notifications/progress");
}

#[tokio::test]
async fn progress_past_the_limit_is_dropped_and_the_answer_never_is() {
    let (connection, mut server) = open_with(Limits::default().queued_messages(3)).await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    for _ in 0..10 {
        server
            .say(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#)
            .await;
    }
    server.answer(1, 10).await;
    // The server's next words come after all of those before.
    server.say(r#"{"jsonrpc":"2.0","method":"done"}"#).await;
    assert_eq!(method_of(connection.unsolicited().await.unwrap()), "done");
    for _ in 0..3 {
        assert_eq!(method_of(exchange.next().await.unwrap().unwrap()), "notifications/progress");
    }
    assert_eq!(answer_of(&mut exchange).await, "10");
}

#[tokio::test]
async fn unsolicited_messages_are_bounded_and_requests_outlive_notifications() {
    let (connection, mut server) = open_with(Limits::default().queued_messages(2)).await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    server.say(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#).await;
    for number in 0..5 {
        server.say(&format!(r#"{{"jsonrpc":"2.0","method":"notice/{number}"}}"#)).await;
    }
    server.answer(1, 10).await;
    assert_eq!(answer_of(&mut exchange).await, "10");
    assert!(matches!(connection.unsolicited().await, Some(Inbound::Missed)));
    assert_eq!(method_of(connection.unsolicited().await.unwrap()), "roots/list");
    assert_eq!(method_of(connection.unsolicited().await.unwrap()), "notice/4");
}

#[tokio::test]
async fn dropping_an_exchange_cancels_its_request_once() {
    let (connection, mut server) = open().await;
    let exchange = connection.send(request(1)).await.unwrap();
    assert_eq!(server.id().await, 1);
    drop(exchange);
    let cancelled = server.hear().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], 1);
    // A late answer is dropped, and nothing more is said about the request.
    server.answer(1, 10).await;
    let mut next = connection.send(request(2)).await.unwrap();
    assert_eq!(server.id().await, 2);
    server.answer(2, 20).await;
    assert_eq!(answer_of(&mut next).await, "20");
}

#[tokio::test]
async fn dropping_an_opening_or_an_answered_exchange_cancels_nothing() {
    let (connection, mut server) = open().await;
    let mut opening = probe(1);
    opening.cancels_by_notification = true;
    drop(connection.send(opening).await.unwrap());
    assert_eq!(server.id().await, 1);

    let mut answered = connection.send(request(2)).await.unwrap();
    assert_eq!(server.id().await, 2);
    server.answer(2, 20).await;
    assert_eq!(answer_of(&mut answered).await, "20");
    drop(answered);

    // Answered, and dropped before anybody looked.
    let unread = connection.send(request(3)).await.unwrap();
    assert_eq!(server.id().await, 3);
    server.answer(3, 30).await;
    server.say(r#"{"jsonrpc":"2.0","method":"done"}"#).await;
    assert_eq!(method_of(connection.unsolicited().await.unwrap()), "done");
    drop(unread);

    let _last = connection.send(request(4)).await.unwrap();
    assert_eq!(server.hear().await["id"], 4);
}

#[test]
fn an_exchange_can_be_dropped_outside_a_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (connection, mut server) = runtime.block_on(open());
    let exchange = runtime.block_on(connection.send(request(1))).unwrap();
    drop(exchange);
    assert_eq!(runtime.block_on(server.id()), 1);
    assert_eq!(runtime.block_on(server.hear())["method"], "notifications/cancelled");
    drop(runtime);
    drop(connection);
}

#[tokio::test]
async fn the_end_of_the_stream_fails_all_pending_requests_at_once() {
    let (connection, mut server) = open().await;
    let mut answered = connection.send(request(1)).await.unwrap();
    let mut first = connection.send(request(2)).await.unwrap();
    let mut second = connection.send(probe(3)).await.unwrap();
    // The last line has no end.
    server.0.write_all(br#"{"jsonrpc":"2.0","id":1,"result":10}"#).await.unwrap();
    drop(server);
    assert_eq!(answer_of(&mut answered).await, "10");
    for exchange in [&mut first, &mut second] {
        let error = failure_of(exchange).await;
        assert!(matches!(error.fault, TransportFault::Ended | TransportFault::Broken));
        assert!(error.sent);
        assert!(exchange.next().await.is_none());
    }
    assert!(connection.unsolicited().await.is_none());
    let error = connection.send(request(4)).await.unwrap_err();
    assert!(!error.sent);
}

#[tokio::test]
async fn a_failure_to_write_ends_the_connection_after_the_last_answer() {
    let (reader, mut from_server) = tokio::io::duplex(1024);
    let (writer, to_server) = tokio::io::duplex(1024);
    let transport = Pipe::new(reader, writer).named("the toaster");
    let connection = transport.open(&Limits::default()).await.unwrap();
    let mut answered = connection.send(request(1)).await.unwrap();
    drop(to_server);
    from_server.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10}\n").await.unwrap();
    let mut hopeless = connection.send(request(2)).await.unwrap();
    assert_eq!(answer_of(&mut answered).await, "10");
    let error = failure_of(&mut hopeless).await;
    assert_eq!(error.fault, TransportFault::Broken);
    assert!(error.to_string().contains("the toaster"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test(start_paused = true)]
async fn senders_wait_while_too_much_is_unsent() {
    let mut limits = Limits::default();
    limits.unsent_bytes = 1000;
    let (reader, _from_server) = tokio::io::duplex(16);
    let (writer, to_server) = tokio::io::duplex(16);
    let connection = Pipe::new(reader, writer).open(&limits).await.unwrap();
    let params = serde_json::value::to_raw_value(&"x".repeat(2000)).unwrap();
    let large = |id| Outbound::request(Id::Number(id), "tools/call", Some(&params));
    let _first = connection.send(large(1)).await.unwrap();
    assert!(waits(connection.send(large(2))).await);
    // A sender that gave up has sent nothing.
    let mut lines = BufReader::new(to_server);
    let mut line = String::new();
    let (sent, read) = tokio::join!(connection.send(request(3)), lines.read_line(&mut line));
    assert!(read.unwrap() > 2000);
    let _third = sent.unwrap();
    line.clear();
    lines.read_line(&mut line).await.unwrap();
    assert!(line.contains("\"id\":3"), "{line}");
}

#[tokio::test]
async fn closing_sends_what_waits_and_ends_the_exchanges() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    connection.close().await;
    assert_eq!(failure_of(&mut exchange).await.fault, TransportFault::Ended);
    assert!(connection.send(request(2)).await.is_err());
    assert!(connection.unsolicited().await.is_none());
    assert_eq!(server.id().await, 1);
    assert_eq!(server.hear().await, Value::Null);
}

#[tokio::test]
async fn the_server_sees_the_end_though_an_exchange_outlives_the_connection() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    assert_eq!(server.id().await, 1);
    drop(connection);
    assert_eq!(server.hear().await, Value::Null);
    assert_eq!(failure_of(&mut exchange).await.fault, TransportFault::Ended);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_though_the_server_reads_nothing() {
    let (reader, _from_server) = tokio::io::duplex(16);
    let (writer, _to_server) = tokio::io::duplex(16);
    let connection = Pipe::new(reader, writer).open(&Limits::default()).await.unwrap();
    let _exchange = connection.send(request(1)).await.unwrap();
    assert!(!waits(connection.close()).await);
}

#[tokio::test]
async fn a_pipe_opens_only_once() {
    let (reader, _from_server) = tokio::io::duplex(16);
    let (writer, _to_server) = tokio::io::duplex(16);
    let transport = Pipe::new(reader, writer);
    assert!(!transport.reopens());
    let _connection = transport.open(&Limits::default()).await.unwrap();
    let Err(error) = transport.open(&Limits::default()).await else { panic!("opened a second time") };
    assert_eq!(error.fault, TransportFault::OnlyOnce);
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_no_message() {
    let (connection, mut server) = open().await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    for _ in 0..100 {
        tokio::select! {
            biased;
            _ = exchange.next() => panic!("nothing was said yet"),
            () = std::future::ready(()) => {}
        }
    }
    server.answer(1, 10).await;
    assert_eq!(answer_of(&mut exchange).await, "10");
}

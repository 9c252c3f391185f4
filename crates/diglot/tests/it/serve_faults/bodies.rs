//! Malformed bodies, over HTTP and over a pipe: each gets its answer, and the next request on the same wire works.

use std::time::Duration;

use serde_json::{Value, json};

use super::shop::{Shop, discover, head, request, start};
use crate::serve_http::desk::{Desk, call};
use crate::serve_pipe::stage::{Peer as Pipe, calculator};

/// A body, and the status and the code that it is answered with over HTTP at the modern revision; over a pipe the code
/// is the same, but for parameters that only the modern revision looks at.
#[rustfmt::skip]
const BODIES: &[(&str, u16, i64)] = &[
    ("",                                                       400, -32700),
    (" ",                                                      400, -32700),
    ("hello",                                                  400, -32700),
    ("{",                                                      400, -32700),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",      400, -32700),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}",    400, -32700),
    ("{\"jsonrpc\":\"2.0\" \"id\":1}",                         400, -32700),
    ("{'jsonrpc':'2.0'}",                                      400, -32700),
    ("{\"a\":\u{0}}",                                          400, -32700),
    ("\u{feff}[",                                              400, -32700),
    ("null",                                                   400, -32600),
    ("17",                                                     400, -32600),
    ("\"text\"",                                               400, -32600),
    ("true",                                                   400, -32600),
    ("[]",                                                     400, -32600),
    ("[1]",                                                    400, -32600),
    ("{}",                                                     400, -32600),
    ("{\"jsonrpc\":\"2.0\"}",                                  400, -32600),
    ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",     400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1}",                         400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",         400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",            400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",    400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",   400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",  400, -32600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":7}", 400, -32602),
];

#[tokio::test]
async fn every_malformed_body_has_its_status_and_its_code_and_the_connection_goes_on() {
    let shop = Shop::of(Desk::new().server, |listener| listener).await;
    let mut peer = shop.connect().await;
    for (body, status, code) in BODIES {
        let (seen, text) = peer.ask("MCP-Protocol-Version: 2026-07-28\r\n", body).await;
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{body}: {text}"));
        assert_eq!((seen, answer["error"]["code"].as_i64()), (*status, Some(*code)), "{body:?}: {text}");
        let message = call(1, "add", json!({ "a": 1, "b": 2 }));
        let (seen, text) = peer.ask(&head(&message), &message.to_string()).await;
        assert!(seen == 200 && text.contains("\"3\""), "after {body:?}: {text}");
    }
}

#[tokio::test]
async fn every_malformed_line_has_its_code_and_the_pipe_goes_on() {
    let mut pipe = Pipe::of(calculator());
    // An empty line says nothing, and a legacy `ping` has no parameters that could be wrong.
    let lines = BODIES.iter().filter(|(line, _, code)| !line.trim().is_empty() && *code != -32602);
    for (line, _, code) in lines {
        let answer = pipe.ask(line).await;
        assert_eq!(answer["error"]["code"].as_i64(), Some(*code), "{line:?}: {answer}");
        let good =
            pipe.ask(r#"{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{@meta}}"#).await;
        assert_eq!(good["id"], "d", "after {line:?}");
    }
}

#[tokio::test]
async fn json_that_is_nested_without_end_is_refused_and_not_followed() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let arguments = format!(r#"{{"a":{deep},"b":1}}"#);
    let message = call(1, "add", json!({ "a": "HERE" })).to_string().replace(r#"{"a":"HERE"}"#, &arguments);
    let shop = Shop::of(Desk::new().server, |listener| listener).await;
    let mut peer = shop.connect().await;
    let lines = head(&call(1, "add", json!({})));
    for body in [message.as_str(), deep.as_str()] {
        let (status, text) = peer.ask(&lines, body).await;
        assert!(
            matches!(status, 200 | 400) && (text.contains("error") || text.contains("isError")),
            "{text:.200}"
        );
        shop.serves().await;
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_answered_with_413() {
    let service = Desk::new().server.into_http_service().body_limit(1_000);
    let shop = Shop::of(service, |listener| listener).await;
    // A client that reads nothing before it has written all sees the answer too.
    for length in [1_001, 1_900] {
        let (status, text) = shop.connect().await.ask("", &"x".repeat(length)).await;
        assert_eq!(status, 413, "{text}");
    }
    // One that only announces such a length is answered at once.
    let mut peer = shop.connect().await;
    peer.say(&format!("{}Content-Length: 9999999999999\r\n\r\n", start(""))).await;
    assert!(peer.read_to("limit is 1000 bytes").await.starts_with("HTTP/1.1 413"));
    let mut peer = shop.connect().await;
    peer.say(&format!("{}Transfer-Encoding: chunked\r\n\r\n", start(""))).await;
    for _ in 0..30 {
        // The server may close while the client still writes.
        if tokio::io::AsyncWriteExt::write_all(
            &mut peer.0,
            format!("64\r\n{}\r\n", "x".repeat(100)).as_bytes(),
        )
        .await
        .is_err()
        {
            break;
        }
    }
    assert!(peer.read_to("limit is 1000 bytes").await.starts_with("HTTP/1.1 413"));
    shop.serves().await;
}

#[tokio::test]
async fn a_body_that_comes_drop_by_drop_is_given_up() {
    let service = Desk::new().server.into_http_service().body_timeout(Duration::from_millis(200));
    let shop = Shop::of(service, |listener| listener).await;
    let mut peer = shop.connect().await;
    peer.say(&format!("{}Content-Length: 4000000\r\n\r\n", start(""))).await;
    let (reader, mut writer) = peer.0.split();
    let drops = async {
        loop {
            if tokio::io::AsyncWriteExt::write_all(&mut writer, b" ").await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::task::yield_now().await;
        }
    };
    let answered = async {
        reader.readable().await.unwrap();
    };
    tokio::select! {
        () = drops => {}
        () = answered => {}
    }
    let text = peer.read_to("in time").await;
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    shop.serves().await;
}

#[tokio::test]
async fn requests_that_are_sent_ahead_are_answered_in_their_order() {
    let shop = Shop::of(Desk::new().server, |listener| listener).await;
    let mut peer = shop.connect().await;
    let mut all = String::new();
    for id in 0..50 {
        let message = call(id, "add", json!({ "a": id, "b": 1 }));
        all.push_str(&request(&head(&message), &message.to_string()));
        all.push_str(&request("", "not JSON"));
    }
    peer.say(&all).await;
    let text = peer.read_to("\"text\":\"50\"").await;
    let ids: Vec<usize> = (0..50).map(|id| text.find(&format!("\"id\":{id},")).unwrap()).collect();
    assert!(ids.is_sorted());
    assert!(text.matches("HTTP/1.1 400").count() >= 49);
}

#[tokio::test]
async fn a_length_that_is_not_true_harms_its_own_connection_alone() {
    let shop = Shop::of(Desk::new().server, |listener| listener).await;
    let body = discover(1).to_string();
    let lines = head(&discover(1));
    // Shorter than the body: the rest is no request.
    let mut peer = shop.connect().await;
    peer.say(&format!("{}Content-Length: {}\r\n\r\n{body}", start(&lines), body.len() - 5)).await;
    let text = peer.read_to("nothing has this").await;
    assert!(text.matches("HTTP/1.1 400").count() >= 1 && !text.contains("supportedVersions"), "{text}");
    // Longer than the body, of which no more comes.
    let mut peer = shop.connect().await;
    peer.say(&format!("{}Content-Length: {}\r\n\r\n{body}", start(&lines), body.len() + 5)).await;
    tokio::io::AsyncWriteExt::shutdown(&mut peer.0).await.unwrap();
    assert!(!peer.read_to("nothing has this").await.contains("supportedVersions"));
    for lie in [
        "Content-Length: many\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "Content-Length: 5, 6\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "Transfer-Encoding: gzip\r\n\r\n",
    ] {
        let mut peer = shop.connect().await;
        peer.say(&format!("{}{lie}", start(&lines))).await;
        let text = peer.read_to("nothing has this").await;
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 400"), "{lie}: {text}");
    }
    shop.serves().await;
}

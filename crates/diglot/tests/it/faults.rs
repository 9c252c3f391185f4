//! Servers that are broken, hostile or merely old, met by a whole client: an error that says so, or a connection.

use std::time::Duration;

use diglot::error::{Phase, TransportFault};
use diglot::http::StreamableHttp;
use diglot::transport::MemoryTransport;
use diglot::{Client, ClientBuilder, Era, Error};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::site::{Reply, json, serve};

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

const DISCOVERY: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

fn builder() -> ClientBuilder {
    Client::builder("tests", "1.2.3")
}

fn result(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Connects to a server that gives one reply to the probe; `$BODY` becomes a good answer, `$LENGTH` its length.
async fn meet(
    reply: impl Fn(Vec<u8>) -> Reply + Send + Sync + 'static,
    text: String,
) -> Result<Client, Error> {
    let url = serve(move |message| {
        let body = result(&message["id"], DISCOVERY);
        let text = text.replace("$LENGTH", &body.len().to_string()).replace("$BODY", &body);
        reply(text.into_bytes())
    })
    .await;
    let connecting = builder().connect(StreamableHttp::new(&url).unwrap());
    tokio::time::timeout(LONG, connecting).await.expect("it comes to its end")
}

#[tokio::test]
async fn every_framing_of_http_is_understood() {
    let framings = [
        format!("HTTP/1.0 200 OK\r\n{JSON}\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{JSON}\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Connection: close\r\nContent-Length: $LENGTH\r\n\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\ndata: $BODY\n\n"),
        format!(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n{JSON}Content-Length: $LENGTH\r\n\r\n$BODY"
        ),
    ];
    for text in framings {
        let client = meet(Reply::Last, text.clone()).await.unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(client.era(), Era::Modern, "{text}");
    }
}

#[tokio::test]
async fn a_reply_that_is_no_http_is_a_failure_of_the_wire() {
    let huge = format!("X: {}\r\n", "a".repeat(1024 * 1024));
    let replies = [
        "SSH-2.0-OpenSSH_9.0\r\n".to_owned(),
        "\0\u{1}\u{7f}\r\n\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{huge}\r\n"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: many\r\n\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 99999999999999999999999\r\n\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 9999999999999\r\n\r\n$BODY"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Transfer-Encoding: chunked\r\n\r\nzzzz\r\n$BODY\r\n"),
        format!("HTTP/1.1 200 OK\r\n{JSON}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n$BODY\r\n"),
        format!("HTTP/1.1 200 OK\r\n{EVENTS}Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n"),
        String::new(),
    ];
    for text in replies {
        let error = meet(Reply::Last, text.clone()).await.unwrap_err();
        let Error::Transport(detail) = &error else { panic!("{error:?}: {text}") };
        assert!(
            matches!(detail.fault, TransportFault::Broken | TransportFault::Client),
            "{error:?}: {:?}",
            text.get(..80)
        );
        assert_eq!(error.negotiation().unwrap().trail.len(), 1, "nothing else was tried");
    }
}

#[tokio::test]
async fn a_reply_that_never_ends_costs_no_more_than_the_budget_of_the_probe() {
    for text in [
        "HTTP/1.1 20".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 100\r\n\r\n{{"),
        format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n: hello\n\n"),
    ] {
        let url = serve(move |_| Reply::Stuck(text.clone().into_bytes())).await;
        let builder = builder().probe_timeout(Duration::from_millis(50));
        let error = builder.connect(StreamableHttp::new(&url).unwrap()).await.unwrap_err();
        let Error::Timeout(detail) = &error else { panic!("{error:?}") };
        assert_eq!(detail.phase, Phase::Probe);
    }
}

#[tokio::test]
async fn a_million_comments_do_not_hide_the_answer() {
    let comments = ": still here\n\n".repeat(1_000_000);
    let text = format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n{comments}data: $BODY\n\n");
    assert_eq!(meet(Reply::Last, text).await.unwrap().era(), Era::Modern);
}

#[tokio::test]
async fn an_error_with_another_id_over_http_is_told_as_such() {
    for id in ["null", "\"x\"", "77"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}"#);
        let url = serve(move |_| json(&body)).await;
        let error = builder().connect(StreamableHttp::new(&url).unwrap()).await.unwrap_err();
        assert_eq!(error.to_string(), "the answer to server/discover does not carry its id");
    }
}

#[tokio::test]
async fn a_server_that_refuses_what_it_names_is_said_to_contradict_itself() {
    let url = serve(|message| {
        let supported = r#"{"supported":["2026-07-28"]}"#;
        let error = format!(r#"{{"code":-32022,"message":"no","data":{supported}}}"#);
        json(format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, message["id"]))
    })
    .await;
    let error = builder().connect(StreamableHttp::new(&url).unwrap()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no version agreed on: the server names 2026-07-28, which we offer, and contradicts itself"
    );
}

#[tokio::test]
async fn a_transport_that_is_ruled_out_is_named() {
    let url = serve(|_| {
        Reply::Stuck(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\nevent: endpoint\ndata: /m\n\n").into_bytes())
    })
    .await;
    let transport = StreamableHttp::new(&url).unwrap().streamable_only();
    let error = builder().connect(transport).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server speaks only the deprecated HTTP+SSE transport, which is ruled out here; allow it"
    );
}

/// Connects to a server on a pipe that answers the probe with some lines and the handshake properly.
///
/// `$ID` becomes the id of the probe.
async fn meet_on_a_pipe(lines: Vec<u8>) -> Result<Client, Error> {
    let transport = MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        tokio::spawn(play(end, lines.clone()));
        client
    });
    tokio::time::timeout(LONG, builder().connect(transport)).await.expect("it comes to its end")
}

async fn play(end: tokio::io::DuplexStream, lines: Vec<u8>) {
    let (reader, mut writer) = tokio::io::split(end);
    let mut heard = BufReader::new(reader).lines();
    while let Ok(Some(line)) = heard.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("a client writes JSON");
        let initialization =
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
        let answer = match message["method"].as_str() {
            Some("server/discover") => lines.clone(),
            Some("initialize") => format!("{}\n", result(&message["id"], initialization)).into_bytes(),
            _ => continue,
        };
        // A client that has heard enough goes away.
        let _ = writer.write_all(&answer).await;
    }
}

#[tokio::test]
async fn hostile_lines_neither_break_the_client_nor_hide_the_answer() {
    let answer = result(&1.into(), DISCOVERY);
    let brackets = "[".repeat(1_000_000);
    let digits = "9".repeat(1_000_000);
    let before: [Vec<u8>; 8] = [
        b"\0\x01\xff\xfe\n\xc3\x28\n".to_vec(),
        b"\n\r\n\x20\n[]\n{}\n\"x\"\n1\nnull\n".to_vec(),
        format!("{brackets}\n").into_bytes(),
        format!(r#"{{"jsonrpc":"2.0","id":{digits},"result":{{}}}}"#).into_bytes(),
        format!(r#"{{"jsonrpc":"2.0","id":"{digits}","result":{{}}}}"#).into_bytes(),
        br#"{"jsonrpc":"2.0","id":1e400,"result":{}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_vec(),
    ];
    for noise in before {
        let lines = [noise.as_slice(), b"\n", answer.as_bytes(), b"\n"].concat();
        let client = meet_on_a_pipe(lines).await.unwrap();
        assert_eq!(
            client.era(),
            Era::Modern,
            "{:?}",
            String::from_utf8_lossy(noise.get(..40).unwrap_or(&noise))
        );
    }
}

#[tokio::test]
async fn a_discovery_with_odd_bytes_in_it_is_read_all_the_same() {
    let with = |text: &[u8]| {
        let head = br#"{"jsonrpc":"2.0","id":9,"id":1,"result":{"supportedVersions":["2026-07-28"],"instructions":""#;
        [head.as_slice(), text, b"\"}}\n"].concat()
    };
    for (text, read) in
        [(b"a\\ud800b".as_slice(), "a\u{fffd}b"), (b"a\xffb", "a\u{fffd}b"), (b"a\\u0000b", "a\0b")]
    {
        let client = meet_on_a_pipe(with(text)).await.unwrap();
        assert_eq!(client.instructions().as_deref(), Some(read), "{}", String::from_utf8_lossy(text));
    }
}

#[tokio::test]
async fn a_discovery_that_cannot_be_read_leaves_the_handshake() {
    let deep = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
    let discovery = format!(r#"{{"supportedVersions":["2026-07-28"],"x":{deep}}}"#);
    let client = meet_on_a_pipe(format!("{}\n", result(&1.into(), &discovery)).into_bytes()).await.unwrap();
    assert_eq!(client.era(), Era::Legacy);
    assert_eq!(client.negotiation().trail[0].saw.kind, "unreadable");
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_that_exits_after_refusing_initialize_tells_both() {
    let script = r#"
        read -r _; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}'
        read -r _; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no licence"}}'
        echo the licence has run out >&2; exit 4"#;
    let server = diglot::ChildProcess::new("sh").args(["-c", script]);
    let told = builder().connect(server).await.unwrap_err().to_string();
    for words in ["refused initialize: no licence", "exited with status 4", "the licence has run out"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// A modern server gives its errors a status of their own; to a caller they are errors as over a pipe.
#[tokio::test]
async fn an_error_with_our_id_is_the_servers_answer_whatever_its_status() {
    for status in [400, 404] {
        let address = serve(move |message| match message["method"].as_str() {
            Some("server/discover") => json(serde_json::json!({"jsonrpc": "2.0", "id": message["id"], "result": {
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}}})),
            _ => {
                let error =
                    serde_json::json!({"code": -32021, "message": "no", "data": {"requiredCapabilities": {"roots": {}}}});
                let body = serde_json::json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string();
                let head = format!("HTTP/1.1 {status} No\r\nContent-Type: application/json\r\n");
                Reply::Then(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
            }
        })
        .await;
        let client =
            Client::builder("tests", "1").connect(StreamableHttp::new(&address).unwrap()).await.unwrap();
        let error = client.call_tool("any", ()).await.unwrap_err();
        assert!(matches!(&error, Error::Rpc(rpc) if rpc.code == -32021 && rpc.data.is_some()), "{error:?}");
    }
}

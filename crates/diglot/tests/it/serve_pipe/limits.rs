//! What a client cannot do to a server on a pipe: block it, break it, or make it grow.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use diglot::server::Server;
use diglot::{Context, Tool};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::stage::{Peer, calculator, play};

/// A server whose tool `wait` ends when the gate lets it, and counts how often it has begun.
struct Gated {
    server: Server,
    gate: Arc<Semaphore>,
    begun: Arc<AtomicUsize>,
}

fn gated() -> Gated {
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let wait = {
        let (gate, begun) = (gate.clone(), begun.clone());
        move |cx: Context| {
            let gate = gate.clone();
            begun.fetch_add(1, Ordering::SeqCst);
            async move {
                gate.acquire().await.unwrap().forget();
                cx.request_id().to_string()
            }
        }
    };
    Gated { server: calculator().tool(Tool::new("wait", wait)), gate, begun }
}

fn wait(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wait",@meta}}}}"#)
}

const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{@meta}}"#;

fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

#[tokio::test]
async fn answers_come_as_they_are_ready() {
    let Gated { server, gate, .. } = gated();
    let mut peer = Peer::of(server);
    peer.say(&wait(1)).await;
    peer.say(&wait(2)).await;
    assert_eq!(peer.ask(DISCOVER).await["id"], "d");
    gate.add_permits(2);
    assert_eq!(peer.hear().await["id"], 1);
    assert_eq!(peer.hear().await["id"], 2);
}

#[tokio::test]
async fn a_cancelled_request_is_dropped_and_not_answered() {
    let Gated { server, gate, .. } = gated();
    let mut peer = Peer::of(server);
    peer.say(&wait(1)).await;
    peer.say(&cancel("1")).await;
    peer.say(&cancel("1")).await;
    peer.say(&cancel("[]")).await;
    peer.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#).await;
    assert_eq!(peer.ask(DISCOVER).await["id"], "d");
    gate.add_permits(1);
    // Its id is free again, and the permit that it waited for as well.
    assert_eq!(peer.ask(&wait(1)).await["result"]["content"][0]["text"], "1");
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_harms_nobody() {
    let Gated { server, gate, .. } = gated();
    let mut peer = Peer::of(server);
    peer.say(&wait(1)).await;
    let refused = peer.ask(&wait(1)).await;
    assert_eq!(refused["error"]["code"], -32600);
    gate.add_permits(1);
    assert_eq!(peer.hear().await["result"]["content"][0]["text"], "1");
}

#[tokio::test]
async fn requests_under_way_are_answered_after_the_input_has_ended() {
    let Gated { server, gate, begun } = gated();
    let mut peer = Peer::of(server);
    peer.say(&wait(1)).await;
    peer.say(&wait(2)).await;
    assert_eq!(peer.ask(DISCOVER).await["id"], "d");
    assert_eq!(begun.load(Ordering::SeqCst), 2);
    let opened = async {
        tokio::task::yield_now().await;
        gate.add_permits(2);
    };
    let (rest, ()) = tokio::join!(peer.end(), opened);
    assert_eq!(rest.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_ends_does_not_keep_the_server() {
    let Gated { server, .. } = gated();
    let mut peer = Peer::of(server.drain_time(Duration::from_secs(3)));
    peer.say(&wait(1)).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(peer.end().await, Vec::<Value>::new());
    assert_eq!(begun.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_does_not_keep_the_server() {
    let (client, end) = tokio::io::duplex(64);
    let (reader, writer) = tokio::io::split(end);
    let serving = tokio::spawn(calculator().serve_pipe(reader, writer));
    let (_unread, mut to_server) = tokio::io::split(client);
    let line = format!("{}\n", DISCOVER.replace("@meta", super::stage::META));
    tokio::io::AsyncWriteExt::write_all(&mut to_server, line.as_bytes()).await.unwrap();
    tokio::io::AsyncWriteExt::shutdown(&mut to_server).await.unwrap();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_hangs_up_ends_the_server_quietly() {
    let Gated { server, .. } = gated();
    let mut peer = Peer::of(server);
    peer.say(DISCOVER).await;
    peer.hang_up().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_pipe_goes_on() {
    play(
        calculator(),
        r#"
        > {"jsonrpc":"2.0","id":1,"method":
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"Parse error: JSON that ends too early: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"}}
        > hello
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: not JSON at column 1: hello"}}
        > {"jsonrpc":"2.0","id":2,"method":""}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid request: a JSON-RPC message whose method is empty: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"\"}"}}
        > {"jsonrpc":"2.0","id":3,"result":{"cut
        > {"jsonrpc":"2.0","id":"late","result":{}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"divide","arguments":{"a":1,"b":1},@meta}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[{"type":"text","text":"1"}],@server}}
        "#,
    )
    .await;
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_by_its_id() {
    let mut peer = Peer::of(calculator().message_bytes(1_000));
    let filler = "x".repeat(5_000);
    let refused =
        peer.ask(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"{filler}"}}"#)).await;
    assert_eq!(refused["id"], 7);
    assert_eq!(refused["error"]["code"], -32600);
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("over the limit of 1000 bytes"),
        "{refused}"
    );
    // The answer to a question is not answered, however long it is.
    peer.say(&format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{filler}"}}"#)).await;
    assert_eq!(peer.ask(DISCOVER).await["id"], "d");
}

#[tokio::test]
async fn no_more_is_under_way_than_the_limit_and_nothing_is_lost() {
    let Gated { server, gate, begun } = gated();
    let mut peer = Peer::of(server.requests_at_once(4));
    for id in 0..10 {
        peer.say(&wait(id)).await;
    }
    while begun.load(Ordering::SeqCst) < 4 {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(begun.load(Ordering::SeqCst), 4);
    gate.add_permits(10);
    for id in 0..10 {
        assert_eq!(peer.hear().await["id"], id);
    }
}

#[tokio::test]
async fn answers_to_questions_are_read_at_the_limit_too() {
    async fn ask(cx: Context) -> Result<String, diglot::ToolError> {
        Ok(cx.roots("roots").await?.len().to_string())
    }
    let server = Server::new("asker", "1").tool(Tool::new("ask", ask)).requests_at_once(1);
    let mut peer = Peer::of(server);
    peer.initialize("2025-11-25", r#"{"roots":{}}"#).await;
    let call =
        |id: i64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"ask"}}}}"#);
    let question = peer.ask(&call(1)).await;
    let refused = peer.ask(&call(2)).await;
    assert_eq!(refused["error"]["code"], -32600);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"roots":[]}}}}"#, question["id"]);
    assert_eq!(peer.ask(&answer).await["result"]["content"][0]["text"], "0");
}

/// How many bytes of answers a client that does not read leaves with a server.
#[tokio::test]
async fn a_flood_stops_at_the_limit_of_unsent_bytes() {
    let calls = Arc::new(AtomicUsize::new(0));
    let tool = {
        let calls = calls.clone();
        move |_: Context| {
            calls.fetch_add(1, Ordering::SeqCst);
            async { "x".repeat(10_000) }
        }
    };
    let (client, end) = tokio::io::duplex(1024);
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(Server::new("s", "1").tool(Tool::new("long", tool)).serve_pipe(reader, writer));
    let (unread, mut to_server) = tokio::io::split(client);
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"long\",{}}}}}\n",
        super::stage::META
    );
    let flood = async {
        loop {
            tokio::io::AsyncWriteExt::write_all(&mut to_server, line.as_bytes()).await.unwrap();
        }
    };
    tokio::select! {
        () = flood => {}
        () = async { for _ in 0..100_000 { tokio::task::yield_now().await; } } => {}
    }
    let served = calls.load(Ordering::SeqCst);
    assert!((100..=110).contains(&served), "{served} answers of 10 kB for a limit of 1 MiB");
    drop(unread);
}

#[tokio::test]
async fn a_handler_that_wakes_itself_for_ever_does_not_block_the_pipe() {
    async fn spin(_: Context) -> &'static str {
        std::future::poll_fn::<(), _>(|context| {
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
        "never"
    }
    let mut peer = Peer::of(calculator().tool(Tool::new("spin", spin)));
    peer.say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"spin",@meta}}"#).await;
    assert_eq!(peer.ask(DISCOVER).await["id"], "d");
    peer.say(&cancel("1")).await;
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn nothing_is_said_about_a_request_that_is_answered() {
    async fn leave(cx: Context) -> &'static str {
        // It ends up outside the handler, where it is still the same request.
        tokio::spawn(async move {
            pending::<()>().await;
            drop(cx);
        });
        "left"
    }
    let late = Arc::new(std::sync::Mutex::new(None::<Context>));
    let keep = {
        let late = late.clone();
        move |cx: Context| {
            *late.lock().unwrap() = Some(cx);
            async { "kept" }
        }
    };
    let server = calculator().tool(Tool::new("leave", leave)).tool(Tool::new("keep", keep));
    let mut peer = Peer::of(server);
    peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leave",@meta}}"#).await;
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"keep",@m}}"#;
    assert_eq!(peer.ask(&call.replace("@m", meta)).await["result"]["content"][0]["text"], "kept");
    late.lock().unwrap().as_ref().unwrap().progress(1.0, None, None);
    assert_eq!(peer.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_raw_result_stays_on_its_line() {
    async fn raw(_: Context) -> diglot::types::ToolResult {
        let raw = serde_json::value::RawValue::from_string("{\n\"a\":\r\n1}".to_owned()).unwrap();
        diglot::types::ToolResult::new([]).structured(raw)
    }
    let mut peer = Peer::of(calculator().tool(Tool::new("raw", raw)));
    let answer =
        peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw",@meta}}"#).await;
    assert_eq!(answer["result"]["structuredContent"], json!({ "a": 1 }));
}

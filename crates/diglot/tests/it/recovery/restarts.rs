//! Wires that end: processes that exit, pipes that close, and the stream of HTTP+SSE.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use diglot::client::Restart;
use diglot::error::{LossCause, Phase, Reopening, TransportFault};
use diglot::transport::MemoryTransport;
use diglot::types::LoggingLevel;
use diglot::{ChildProcess, Client, ClientBuilder, Era, Error, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;

use super::Heard;
use super::site::{Reply, Site, discovery, initialization, text};

fn builder() -> ClientBuilder {
    Client::builder("tests", "1.2.3").restart(Restart::OnExit)
}

/// What a server on a pipe does with a message.
enum Act {
    Result(Value),
    Error(i64),
    Silence,
    Exit,
}

type Script = dyn Fn(usize, &Value) -> Act + Send + Sync;

/// A server that is started for each connection; its function takes the number of the start, from 1, and a message.
#[derive(Clone)]
struct Started {
    starts: Arc<AtomicUsize>,
    methods: Arc<std::sync::Mutex<Vec<String>>>,
    script: Arc<Script>,
}

impl Started {
    fn new(script: impl Fn(usize, &str, &Value) -> Act + Send + Sync + 'static) -> Self {
        let script = move |start, message: &Value| {
            script(start, message["method"].as_str().unwrap_or_default(), message)
        };
        Self { starts: Arc::default(), methods: Arc::default(), script: Arc::new(script) }
    }

    fn transport(&self) -> MemoryTransport {
        let server = self.clone();
        MemoryTransport::new(move || {
            let (client, end) = tokio::io::duplex(64 * 1024);
            let start = server.starts.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::spawn(server.clone().run(start, end));
            client
        })
    }

    async fn run(self, start: usize, end: DuplexStream) {
        let (reader, mut writer) = tokio::io::split(end);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            self.methods.lock().unwrap().push(message["method"].as_str().unwrap_or_default().to_owned());
            let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
            match (self.script)(start, &message) {
                Act::Result(result) => answer["result"] = result,
                Act::Error(code) => answer["error"] = json!({"code": code, "message": "no"}),
                Act::Silence => continue,
                Act::Exit => return,
            }
            writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    }

    fn starts(&self) -> usize {
        self.starts.load(Ordering::SeqCst)
    }

    fn count(&self, method: &str) -> usize {
        self.methods.lock().unwrap().iter().filter(|own| *own == method).count()
    }
}

/// Answers as a server of an era that exits on `tools/call`, and on `prompts/list` at its first start.
fn fragile(era: Era) -> Started {
    Started::new(move |start, method, _| match (method, era) {
        ("server/discover", Era::Modern) => Act::Result(discovery()),
        ("initialize", Era::Legacy) => Act::Result(initialization()),
        ("server/discover", _) => Act::Error(-32601),
        ("tools/list", _) => Act::Result(json!({"tools": []})),
        ("logging/setLevel", _) => Act::Result(json!({})),
        ("prompts/list", _) if start > 1 => Act::Result(json!({"prompts": []})),
        ("prompts/list" | "tools/call", _) => Act::Exit,
        _ => Act::Silence,
    })
}

#[tokio::test(start_paused = true)]
async fn a_safe_request_survives_the_end_of_its_server_in_both_eras() {
    for era in [Era::Modern, Era::Legacy] {
        let (server, heard) = (fragile(era), Heard::default());
        let client = builder().on_reconnect(heard.listener()).connect(server.transport()).await.unwrap();
        client.list_prompts().await.unwrap();
        assert_eq!((client.era(), server.starts()), (era, 2));
        let revision = client.revision();
        assert_eq!(heard.all(), ["try 1 in 500ms".to_owned(), format!("open at {revision}")]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_fails_at_once_and_the_next_one_finds_a_new_server() {
    let server = fragile(Era::Legacy);
    let client = builder().connect(server.transport()).await.unwrap();
    client.set_log_level(LoggingLevel::Debug).await.unwrap();
    let before = tokio::time::Instant::now();
    let error = client.call_tool("pay", ()).await.unwrap_err();
    assert!(matches!(&error, Error::Transport(detail) if detail.sent), "{error:?}");
    assert!(error.to_string().contains("the server may have acted on it"), "{error}");
    assert_eq!(before.elapsed(), Duration::ZERO);
    // This one has not left, so it waits for the new server.
    client.list_tools().await.unwrap();
    assert_eq!((server.starts(), server.count("tools/call"), server.count("logging/setLevel")), (2, 1, 2));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_started_again_unless_the_host_allows_it() {
    let server = fragile(Era::Modern);
    let client = Client::builder("tests", "1").connect(server.transport()).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(client.list_prompts().await.unwrap_err(), Error::Transport(_)));
    }
    assert_eq!(server.starts(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_while_nobody_asks_is_started_again_too() {
    let server = Started::new(|_, method, message| match method {
        "server/discover" => Act::Result(discovery()),
        _ if message.get("id").is_none() => Act::Exit,
        _ => Act::Result(json!({"tools": []})),
    });
    let client = builder().connect(server.transport()).await.unwrap();
    client.notify("notifications/x", None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await; // paused clock
    assert_eq!(server.starts(), 2);
    client.list_tools().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_exits_right_after_its_start_is_not_started_for_ever() {
    let server = Started::new(|start, method, _| match (start, method) {
        (1, "server/discover") => Act::Result(discovery()),
        _ => Act::Exit,
    });
    let heard = Heard::default();
    let client = builder().on_reconnect(heard.listener()).connect(server.transport()).await.unwrap();
    let error = client.list_tools().await.unwrap_err();
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    assert!(
        matches!(lost.cause, LossCause::Wire(_)) && matches!(lost.reopening, Reopening::Failed(_)),
        "{lost}"
    );
    let expected = ["try 1 in 500ms", "try 2 in 1s", "try 3 in 2s", "try 4 in 4s", "try 5 in 8s", "GaveUp"];
    assert_eq!((heard.all(), server.starts()), (expected.map(str::to_owned).to_vec(), 6));
    tokio::time::sleep(Duration::from_secs(3600)).await; // paused clock
    assert_eq!(server.starts(), 6, "nobody asked");
    client.list_tools().await.unwrap_err();
    assert!(server.starts() > 6, "somebody asked, much later");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_exits_again_and_again_after_its_handshake_meets_the_limit_too() {
    let server = Started::new(|_, method, _| match method {
        "server/discover" => Act::Result(discovery()),
        _ => Act::Exit,
    });
    let limits = Limits::default().restarts(3, Duration::from_millis(10), Duration::from_millis(10));
    let client = builder().limits(limits).connect(server.transport()).await.unwrap();
    for _ in 0..10 {
        client.list_tools().await.unwrap_err();
    }
    assert_eq!(server.starts(), 4);
    let error = client.list_tools().await.unwrap_err();
    assert!(error.to_string().contains("limit restarts_in_a_row, 3"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_restart_changes_no_era() {
    let server = Started::new(|start, method, _| match (start, method) {
        (1, "server/discover") => Act::Result(discovery()),
        (_, "initialize") => Act::Result(initialization()),
        (_, "server/discover") => Act::Error(-32601),
        _ => Act::Exit,
    });
    let client = builder().connect(server.transport()).await.unwrap();
    let error = client.list_tools().await.unwrap_err();
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    let Reopening::Failed(why) = &lost.reopening else { panic!("{lost}") };
    assert!(matches!(**why, Error::Incompatible(_)), "{why:?}");
    assert_eq!((client.era(), server.count("initialize"), server.starts()), (Era::Modern, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn closing_and_dropping_a_client_end_its_restarts() {
    let server = fragile(Era::Modern);
    let client = builder().connect(server.transport()).await.unwrap();
    client.call_tool("die", ()).await.unwrap_err();
    client.close().await;
    tokio::time::sleep(Duration::from_secs(5)).await; // paused clock
    assert_eq!(server.starts(), 1);
    let client = builder().connect(server.transport()).await.unwrap();
    client.call_tool("die", ()).await.unwrap_err();
    drop(client);
    tokio::time::sleep(Duration::from_secs(5)).await; // paused clock
    assert_eq!(server.starts(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn a_child_that_exits_tells_its_status_and_last_words_and_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    // The ids go on counting over every start, so the server has to read them.
    let script = r#"
        echo started >> starts
        while read -r line; do
            id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}' ;;
                *tools/call*) echo 'out of paper' >&2; exit 3 ;;
                *tools/list*) result='{"tools":[]}' ;;
                *) continue ;;
            esac
            echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
        done"#;
    let server = ChildProcess::new("sh").args(["-c", script]).current_dir(folder.path());
    let limits = Limits::default().restarts(5, Duration::from_millis(1), Duration::from_millis(1));
    let builder = builder().limits(limits).mode(diglot::Mode::Legacy);
    let client = builder.connect(server).await.unwrap();
    let error = client.call_tool("print", ()).await.unwrap_err();
    for words in ["exited with status 3", "may have acted", "out of paper"] {
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    client.list_tools().await.unwrap();
    let starts = std::fs::read_to_string(folder.path().join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 2);
}

/// What a test says over an open stream.
type Speaker = mpsc::UnboundedSender<Result<Bytes, diglot::http::BoxError>>;

/// A server of HTTP+SSE: the latest of its streams, to answer over it and to break it off.
#[derive(Clone, Default)]
struct Streams(Arc<std::sync::Mutex<Option<Speaker>>>);

impl Streams {
    fn say(&self, text: String) {
        if let Some(stream) = &*self.0.lock().unwrap() {
            let _ = stream.send(Ok(text.into()));
        }
    }

    fn end(&self) {
        self.0.lock().unwrap().take();
    }

    /// Serves it; the call of a tool ends the stream, and so does the first list of prompts.
    fn site(&self) -> Site {
        let (streams, prompts) = (self.clone(), AtomicUsize::default());
        Site::new(move |seen| {
            if seen.method == "GET" {
                let (sender, chunks) = mpsc::unbounded_channel();
                sender.send(Ok(Bytes::from_static(b"event: endpoint\ndata: /messages\n\n"))).unwrap();
                *streams.0.lock().unwrap() = Some(sender);
                return Reply::Stream(chunks);
            }
            let result = match seen.method.as_str() {
                "initialize" => initialization(),
                "tools/list" => json!({"tools": []}),
                "prompts/list" if prompts.fetch_add(1, Ordering::SeqCst) > 0 => json!({"prompts": []}),
                "prompts/list" | "tools/call" => {
                    streams.end();
                    return text(202, "");
                }
                _ => return text(202, ""),
            };
            let message = json!({"jsonrpc": "2.0", "id": seen.message["id"], "result": result});
            streams.say(format!("data: {message}\n\n"));
            text(202, "")
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_http_sse_is_opened_anew_and_a_safe_request_repeated() {
    let heard = Heard::default();
    let site = Streams::default().site();
    let builder = Client::builder("tests", "1").on_reconnect(heard.listener());
    let client = builder.connect(site.http_sse()).await.unwrap();
    client.list_prompts().await.unwrap();
    assert_eq!((site.count("GET"), site.count("initialize"), site.count("prompts/list")), (2, 2, 2));
    assert_eq!(heard.all(), ["try 1 in 500ms", "open at 2025-11-25"]);
    let seen = site.seen();
    let gets: Vec<_> = seen.iter().filter(|seen| seen.method == "GET").map(|seen| seen.at).collect();
    assert_eq!(gets[1] - gets[0], Duration::from_millis(500));
    let error = client.call_tool("pay", ()).await.unwrap_err();
    assert!(
        matches!(&error, Error::Transport(detail) if detail.sent && detail.fault == TransportFault::StreamLost)
    );
    client.list_tools().await.unwrap();
    assert_eq!((site.count("GET"), site.count("tools/call")), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_fallen_back_to_is_opened_anew_as_such() {
    let streams = Streams::default();
    let sse = streams.site();
    let inner = sse.clone();
    let site = Site::new(move |seen| match seen.message.is_null() || seen.path == "/messages" {
        true => inner.play(seen),
        false => text(405, ""),
    });
    let client = Client::builder("tests", "1").connect(site.transport()).await.unwrap();
    assert_eq!(client.transport_name(), "http+sse");
    let posts =
        |site: &Site| site.seen().iter().filter(|seen| seen.path == "/mcp" && seen.method != "GET").count();
    let before = posts(&site);
    client.list_prompts().await.unwrap();
    assert_eq!((client.transport_name(), posts(&site), site.count("GET")), ("http+sse", before, 2));
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_http_sse_has_the_budgets_of_the_client() {
    let silent = Site::new(|seen| match seen.method.as_str() {
        "GET" => Reply::Hang,
        _ => text(405, ""),
    });
    let took = async |connecting: Pin<Box<dyn Future<Output = Result<Client, Error>> + Send>>| {
        let began = tokio::time::Instant::now();
        (connecting.await.unwrap_err(), began.elapsed())
    };
    let builder = || {
        Client::builder("tests", "1")
            .initialize_timeout(Duration::from_secs(33))
            .probe_timeout(Duration::from_secs(3))
    };
    let (error, time) = took(Box::pin(builder().connect(silent.http_sse()))).await;
    assert!(matches!(error, Error::Timeout(detail) if detail.phase == Phase::Open));
    assert_eq!(time, Duration::from_secs(33));
    let (error, time) = took(Box::pin(builder().connect(silent.transport()))).await;
    assert_eq!((error.http_status(), time), (Some(405), Duration::from_secs(3)));
    let shorter = silent.http_sse().endpoint_timeout(Duration::from_secs(1));
    let (error, time) = took(Box::pin(builder().connect(shorter))).await;
    assert!(
        matches!(error, Error::Transport(detail) if detail.fault == TransportFault::NoEndpoint),
        "{time:?}"
    );
    assert_eq!(time, Duration::from_secs(1));
}

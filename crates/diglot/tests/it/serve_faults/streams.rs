//! Sessions that are opened and left, and a process that is told to end while streams are open.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use diglot::http::HttpServer;
use diglot::server::{Server, SessionLimits};
use diglot::{Context, Tool};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::parts;
use super::shop::{Peer, head, request, start};
use crate::serve_http::desk::{Desk, call, initialize, legacy, modern, open, post, send};

/// How many sessions are opened and left.
const SESSIONS: usize = 100_000;

/// How many there may be at a time.
const MOST_SESSIONS: usize = 1_000;

/// The most that memory may grow over the last nine tenths of them, in KiB.
const MOST_KIB: usize = 16 * 1024;

#[test]
fn a_hundred_thousand_abandoned_sessions_leave_no_trace() {
    let grown = parts::number(&parts::play(parts::SESSIONS), "grown");
    assert!(grown < MOST_KIB, "{grown} KiB");
}

/// Plays the part: opens sessions, uses some, and comes back to none of them.
pub(super) async fn abandoned_sessions() {
    let service =
        Desk::new().server.into_http_service().sessions(SessionLimits::default().sessions(MOST_SESSIONS));
    let begin = initialize("2025-11-25");
    let mut before = 0;
    let first = open(&service, "2025-11-25").await;
    let mut last = String::new();
    for number in 0..SESSIONS {
        if number == SESSIONS / 10 {
            before = parts::resident_kib();
        }
        let response = service_call(&service, &begin).await;
        last = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        if number % 10 == 0 {
            let subscribe = legacy(1, "resources/subscribe", json!({ "uri": "test://greeting" }));
            let headers = [("mcp-session-id", last.as_str())];
            assert_eq!(send(&service, post(&subscribe, &headers)).await.status(), 200);
        }
    }
    let grown = parts::resident_kib().saturating_sub(before);
    let ping = legacy(2, "ping", json!({}));
    let status = async |id: &str| send(&service, post(&ping, &[("mcp-session-id", id)])).await.status();
    assert_eq!((status(&first).await.as_u16(), status(&last).await.as_u16()), (404, 200));
    parts::tell(&format!("grown {grown}"));
}

/// Calls the service without a record of it.
async fn service_call(
    service: &diglot::http::HttpService,
    message: &Value,
) -> http::Response<diglot::http::Body> {
    tower_service::Service::call(&mut service.clone(), post(message, &[])).await.unwrap()
}

/// How many streams of each kind are open when the process is told to end.
const OF_EACH: usize = 34;

/// Plays the part: serves until it is told to end, and ends well.
pub(super) async fn until_terminated() {
    let (stopping, _) = watch::channel(false);
    let wait = {
        let stopping = stopping.clone();
        move |cx: Context| {
            let mut stopping = stopping.subscribe();
            async move {
                cx.progress(1.0, None, None);
                stopping.wait_for(|stopping| *stopping).await.map_or("lost", |_| "stopped in good order")
            }
        }
    };
    let server = Server::new("ending", "1").tool(Tool::new("wait", wait));
    let listener = HttpServer::bind(server, ([127, 0, 0, 1], 0)).await.unwrap();
    let mut terminated = signal(SignalKind::terminate()).unwrap();
    parts::tell(&format!("port {}", listener.local_addr().unwrap().port()));
    let stop = async move {
        terminated.recv().await;
        stopping.send_replace(true);
    };
    listener.with_graceful_shutdown(stop).serve().await.unwrap();
}

#[tokio::test]
async fn a_process_that_is_told_to_end_ends_a_hundred_streams_in_good_order() {
    let mut child = parts::command(parts::STREAMS).stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = told.find_map(|line| line.unwrap().strip_prefix("port ")?.parse::<u16>().ok()).unwrap();
    let connect = || async { Peer(TcpStream::connect(("127.0.0.1", port)).await.unwrap()) };
    let mut streams = Vec::new();
    for _ in 0..OF_EACH {
        let wanted =
            modern(7, "subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
        let mut peer = connect().await;
        peer.say(&request(&head(&wanted), &wanted.to_string())).await;
        peer.read_to("acknowledged").await;
        streams.push((peer, "\"resultType\":\"complete\""));

        let mut waiting = call(1, "wait", json!({}));
        waiting["params"]["_meta"]["progressToken"] = 1.into();
        let mut peer = connect().await;
        peer.say(&request(&head(&waiting), &waiting.to_string())).await;
        peer.read_to("notifications/progress").await;
        streams.push((peer, "stopped in good order"));

        let mut peer = connect().await;
        peer.say(&request("", &initialize("2025-11-25").to_string())).await;
        let head = peer.read_to("\r\n\r\n").await.to_ascii_lowercase();
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
        let mut peer = connect().await;
        let listen = start(&format!("Mcp-Session-Id: {session}\r\n\r\n")).replacen("POST", "GET", 1);
        peer.say(&listen).await;
        peer.read_to("retry").await;
        streams.push((peer, ""));
    }
    let process = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    for (mut peer, last) in streams {
        let rest = peer.read_to("nothing has this").await;
        assert!(rest.contains(last) && rest.ends_with("0\r\n\r\n"), "{last}: {rest:?}");
    }
    let ended = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");
}

//! A thousand calls at once, over one child and over one HTTP server, in a process whose memory is measured.
//!
//! The test's own binary plays every part: [`a_part_of_the_load`] is what it does when it is started again with a part.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::process::Command;
use std::time::Duration;

use diglot::http::StreamableHttp;
use diglot::{ChildProcess, Client, Transport};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::site::{self, serve};

/// The environment variable that names the part to play.
const PART: &str = "DIGLOT_LOAD_PART";

const CALLS: usize = 1_000;

/// What every call carries, so that a thousand of them weigh something: 16 MB both ways.
const BALLAST: usize = 16 * 1024;

/// The most memory that a client may have used, in KiB: several times the ballast, far below a copy for each call.
const MOST_KIB: usize = 256 * 1024;

/// How long a client waits for its calls: far longer than they take.
const LONG: Duration = Duration::from_secs(120);

fn this_binary() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

/// The words that have the test binary run nothing but the part.
const ONLY_THE_PART: [&str; 4] = ["--exact", "load::a_part_of_the_load", "--nocapture", "--quiet"];

/// Plays a part in a process of its own, and checks that it ended well within its memory.
fn play(part: &str) {
    let output = Command::new(this_binary()).args(ONLY_THE_PART).env(PART, part).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let peak: usize = told.lines().find_map(|line| line.strip_prefix("peak ")?.parse().ok()).unwrap();
    assert!(peak < MOST_KIB, "{peak} KiB");
}

#[test]
fn a_thousand_calls_at_once_over_one_child_get_their_own_answers() {
    play("client of a child");
}

#[test]
fn a_thousand_calls_at_once_over_http_get_their_own_answers() {
    play("client over http");
}

#[test]
fn a_part_of_the_load() {
    match std::env::var(PART).as_deref() {
        Ok("server") => serve_lines(),
        Ok("client of a child") => {
            let server = ChildProcess::new(this_binary()).args(ONLY_THE_PART).env(PART, "server");
            run(async { call_all(server).await });
        }
        Ok("client over http") => run(async {
            let url = serve(|message| site::json(answer(&message))).await;
            call_all(StreamableHttp::new(&url).unwrap()).await;
        }),
        _ => {}
    }
}

fn run(calls: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, calls).await.expect("the calls come to their end") });
    let told = format!("\npeak {}\n", peak_kib());
    std::io::stdout().lock().write_all(told.as_bytes()).unwrap();
}

/// Makes all calls at once and checks that each gets its own answer.
async fn call_all(server: impl Transport) {
    let client = Client::builder("load", "1").timeout(LONG).connect(server).await.unwrap();
    let mut calls = JoinSet::new();
    for number in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move {
            let arguments = json!({ "number": number, "ballast": "x".repeat(BALLAST) });
            let told = client.call_tool("tell", arguments).await.unwrap();
            let told: Value = told.parse().unwrap();
            assert_eq!(told, json!({ "number": number, "length": BALLAST }));
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    client.close().await;
}

/// Answers a message of a client.
fn answer(message: &Value) -> Value {
    let result = match message["method"].as_str() {
        Some("server/discover") => {
            json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })
        }
        _ => {
            let arguments = &message["params"]["arguments"];
            let ballast = arguments["ballast"].as_str().unwrap_or_default();
            let told = json!({ "number": arguments["number"], "length": ballast.len() });
            json!({ "content": [{ "type": "text", "text": ballast }], "structuredContent": told })
        }
    };
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
}

/// Serves as a child does: it answers no call before the last one has come, and the last one first.
fn serve_lines() {
    let mut waiting = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let is_call = message["method"] == "tools/call";
        waiting.push(answer(&message));
        if is_call && waiting.len() < CALLS {
            continue;
        }
        let mut text = String::new();
        while let Some(answer) = waiting.pop() {
            writeln!(text, "{answer}").unwrap();
        }
        std::io::stdout().lock().write_all(text.as_bytes()).unwrap();
    }
}

/// Returns the most memory that this process has had, in KiB.
fn peak_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

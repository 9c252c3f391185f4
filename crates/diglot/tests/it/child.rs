//! Real child processes, each a few words of shell, and what is left of them: nothing.

use std::sync::mpsc;
use std::time::Duration;

use diglot::error::{TransportError, TransportFault};
use diglot::transport::{Connection, Exchange};
use diglot::{ChildProcess, Limits, Transport};
use tokio::time::timeout;

use crate::stage::{answer_of, failure_of, request};

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

/// Answers request 1 with the number of the process, which is that of its group too.
const ANSWER: &str = r#"read -r _; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":$$}""#;

fn shell(script: &str) -> ChildProcess {
    ChildProcess::new("sh").args(["-c", script]).grace(Duration::from_millis(100))
}

async fn open(transport: &ChildProcess) -> Box<dyn Connection> {
    transport.open(&Limits::default()).await.unwrap()
}

/// Opens a server that begins with [`ANSWER`], and returns the number of its group.
async fn start(script: &str) -> (Box<dyn Connection>, i32) {
    let connection = open(&shell(&format!("{ANSWER}; {script}"))).await;
    let mut exchange = connection.send(request(1)).await.unwrap();
    let group = answer_of(&mut exchange).await.parse().unwrap();
    (connection, group)
}

async fn fail(script: &str) -> TransportError {
    let connection = open(&shell(script)).await;
    let exchange = connection.send(request(1)).await;
    let error = match exchange {
        Ok(mut exchange) => timeout(LONG, failure_of(&mut exchange)).await.unwrap(),
        Err(error) => error,
    };
    assert_gone_with(connection).await;
    error
}

async fn assert_gone_with(connection: Box<dyn Connection>) {
    timeout(LONG, connection.close()).await.unwrap();
    assert!(connection.unsolicited().await.is_none());
}

/// Counts the living processes of a group.
fn members(group: i32) -> usize {
    let is_member = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name of the program may hold anything; what follows it is state, parent, group.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, found) = (fields.next()?, fields.nth(1)?);
        (found == group.to_string() && state != "Z").then_some(())
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(is_member).count()
}

/// Waits until no process of the group lives.
async fn assert_gone(group: i32) {
    let gone = async {
        while members(group) > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, gone).await.expect("a process was left behind");
}

async fn exit_of(exchange: &mut Exchange) -> String {
    timeout(LONG, failure_of(exchange)).await.unwrap().to_string()
}

#[tokio::test]
async fn a_server_ends_by_itself_when_it_is_closed() {
    let (connection, group) = start("cat >/dev/null; echo 'good bye' >&2").await;
    assert!(members(group) > 0);
    timeout(LONG, connection.close()).await.unwrap();
    assert_eq!(connection.stderr_tail(), ["good bye"]);
    assert_gone(group).await;
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_asked_to_end() {
    let (connection, group) =
        start("trap 'echo \"told to end\" >&2; exit 0' TERM; echo trapped >&2; while :; do sleep 100; done")
            .await;
    while connection.stderr_tail().is_empty() {
        tokio::task::yield_now().await;
    }
    timeout(LONG, connection.close()).await.unwrap();
    assert_eq!(connection.stderr_tail().last().unwrap(), "told to end");
    assert_gone(group).await;
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_killed() {
    let (connection, group) = start("trap '' TERM; echo trapped >&2; while :; do sleep 100; done").await;
    while connection.stderr_tail().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut exchange = connection.send(request(2)).await.unwrap();
    timeout(LONG, connection.close()).await.unwrap();
    assert!(exit_of(&mut exchange).await.contains("was ended by signal 9"));
    assert_gone(group).await;
}

#[tokio::test]
async fn closing_twice_and_after_the_end_returns_at_once() {
    let (connection, group) = start("exit 0").await;
    assert!(connection.unsolicited().await.is_none());
    timeout(LONG, connection.close()).await.unwrap();
    timeout(LONG, connection.close()).await.unwrap();
    assert_gone(group).await;
}

#[tokio::test]
async fn a_grandchild_is_killed_when_the_server_has_ended() {
    let (connection, group) = start("(trap '' TERM HUP; exec sleep 1000) & cat >/dev/null").await;
    timeout(LONG, connection.close()).await.unwrap();
    assert_gone(group).await;
}

#[tokio::test]
async fn dropping_the_connection_kills_the_server_and_its_children() {
    let (connection, group) = start("trap '' TERM; sleep 1000 & sleep 1000 & cat >/dev/null; wait").await;
    let mut exchange = connection.send(request(2)).await.unwrap();
    drop(connection);
    assert!(exit_of(&mut exchange).await.contains("was ended by signal 9"));
    assert_gone(group).await;
}

#[test]
fn the_end_of_the_runtime_kills_the_server_and_its_children() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (connection, group) = runtime.block_on(start("sleep 1000 & cat >/dev/null; wait"));
    let mut exchange = runtime.block_on(connection.send(request(2))).unwrap();
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        failure_of(&mut exchange).await;
        assert_gone(group).await;
        connection.close().await;
    });
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let transport = ChildProcess::new("no-such-server").args(["--port=1", "--token=hunter2"]);
    let Err(error) = transport.open(&Limits::default()).await else { panic!("it started") };
    assert_eq!(error.fault, TransportFault::CommandNotFound);
    assert!(error.to_string().contains("no-such-server --port=1 --token=***"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn a_command_that_cannot_be_started_says_why() {
    let elsewhere = ChildProcess::new("sh").current_dir("/no/such/directory");
    let script = tempfile::NamedTempFile::new().unwrap();
    let not_executable = ChildProcess::new(script.path());
    for transport in [elsewhere, not_executable] {
        let Err(error) = transport.open(&Limits::default()).await else { panic!("it started") };
        assert_eq!(error.fault, TransportFault::NotStarted);
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn a_server_that_exits_at_start_tells_its_status_and_last_words() {
    let error = fail("echo 'starting' >&2; printf '\\033[31mmissing API_URL\\033[0m' >&2; exit 3").await;
    let text = error.to_string();
    assert!(text.contains("exited with status 3; the request had been sent, so the server may have acted on it; its last words on stderr:"), "{text}");
    assert!(text.contains("\n  starting\n  missing API_URL"), "{text}");
}

#[tokio::test]
async fn the_last_answer_of_a_server_that_exits_is_not_lost() {
    for _ in 0..20 {
        let (connection, group) = start("exit 0").await;
        drop(connection);
        assert_gone(group).await;
    }
}

#[tokio::test]
async fn a_kill_during_a_call_fails_every_call_with_the_same_report() {
    let (connection, group) = start("read -r _; read -r _; kill -9 $$").await;
    let mut first = connection.send(request(2)).await.unwrap();
    let mut second = connection.send(request(3)).await.unwrap();
    for exchange in [&mut first, &mut second] {
        let error = timeout(LONG, failure_of(exchange)).await.unwrap();
        assert!(error.sent);
        let TransportFault::Exited(report) = error.fault else { panic!("{error}") };
        assert_eq!((report.code, report.signal), (None, Some(9)));
    }
    let error = connection.send(request(4)).await.unwrap_err();
    assert!(!error.sent && matches!(error.fault, TransportFault::Exited(_)));
    assert_gone(group).await;
}

#[tokio::test]
async fn a_flood_on_stderr_neither_blocks_the_server_nor_grows() {
    let limits = Limits::default().stderr(10, 100);
    let transport = shell(&format!(
        "head -c 10000000 /dev/zero | tr '\\0' x >&2; yes 'a line' | head -n 1000000 >&2; {ANSWER}; cat >/dev/null"
    ));
    let connection = transport.open(&limits).await.unwrap();
    let mut exchange = connection.send(request(1)).await.unwrap();
    let group = timeout(LONG, answer_of(&mut exchange)).await.unwrap().parse().unwrap();
    let tail = connection.stderr_tail();
    assert!(tail.len() <= 10 && tail.iter().all(|line| line.len() <= 100), "{tail:?}");
    drop(connection);
    assert_gone(group).await;
}

#[tokio::test]
async fn the_exit_is_noticed_though_a_grandchild_holds_the_output() {
    let (connection, group) = start("sleep 1000 & exit 7").await;
    assert!(timeout(LONG, connection.unsolicited()).await.unwrap().is_none());
    let error = connection.send(request(2)).await.unwrap_err();
    assert!(error.to_string().contains("exited with status 7"), "{error}");
    assert_gone(group).await;
}

#[tokio::test]
async fn a_server_that_closes_its_output_is_ended() {
    let (connection, group) = start("exec >/dev/null; sleep 1000").await;
    let mut exchange = connection.send(request(2)).await.unwrap();
    assert!(exit_of(&mut exchange).await.contains("closed its output"));
    assert_gone(group).await;
}

#[tokio::test]
async fn a_server_that_reads_nothing_is_closed_all_the_same() {
    let (connection, group) = start("exec sleep 1000").await;
    let params = serde_json::value::to_raw_value(&"x".repeat(1_000_000)).unwrap();
    let large = diglot::transport::Outbound::request(2.into(), "tools/call", Some(&params));
    let _exchange = connection.send(large).await.unwrap();
    timeout(LONG, connection.close()).await.unwrap();
    assert_gone(group).await;
}

#[tokio::test]
async fn every_opening_starts_a_fresh_process() {
    let transport = shell(&format!("{ANSWER}; cat >/dev/null"));
    assert!(transport.reopens());
    let mut groups = Vec::new();
    for _ in 0..2 {
        let connection = open(&transport).await;
        let mut exchange = connection.send(request(1)).await.unwrap();
        groups.push(answer_of(&mut exchange).await.parse().unwrap());
    }
    assert_ne!(groups.first(), groups.last());
    for group in groups {
        assert_gone(group).await;
    }
}

#[tokio::test]
async fn the_environment_and_the_directory_are_as_told() {
    const SHOW: &str = r#"read -r _; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"$A,$B,$HOME,$PWD\"}""#;
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().canonicalize().unwrap();
    let shown = async |transport: ChildProcess| {
        let connection = open(&transport.current_dir(&place)).await;
        answer_of(&mut connection.send(request(1)).await.unwrap()).await
    };
    let told = shown(shell(SHOW).env("A", "1").env("B", "2").env_remove("B").env_remove("HOME")).await;
    assert_eq!(told, format!("\"1,,,{}\"", place.display()));
    let cleared = shown(shell(SHOW).env("A", "1").env_clear().env("B", "2")).await;
    assert_eq!(cleared, format!("\",2,,{}\"", place.display()));
}

#[tokio::test]
async fn every_line_of_stderr_is_handed_over() {
    let (sender, lines) = mpsc::channel();
    let transport = shell("echo one >&2; echo two >&2; printf three >&2")
        .on_stderr(move |line| sender.send(line.to_owned()).unwrap());
    let connection = open(&transport).await;
    timeout(LONG, connection.close()).await.unwrap();
    assert_eq!(lines.try_iter().collect::<Vec<_>>(), ["one", "two", "three"]);
}

#[test]
fn neither_debug_nor_the_target_shows_a_secret() {
    let transport = ChildProcess::new("server").args(["--password", "hunter2"]).env("TOKEN", "hunter2");
    let shown = format!("{transport:?} {} {:?}", transport.target(), transport.key());
    assert!(shown.contains("server --password ***") && !shown.contains("hunter2"), "{shown}");
    assert_eq!(transport.name(), "stdio");
}

//! Serving over the standard streams of a real process: this one, started once more.

#![expect(clippy::print_stdout, reason = "what is printed is what is tested")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use diglot::{ChildProcess, Client, Context, Tool};
use serde_json::{Value, json};

use super::stage::{META, calculator};

/// Set for the process that serves.
const SERVES: &str = "DIGLOT_TEST_SERVES";

/// Prints in every way that there is, and reads what is not its own.
async fn print(_: Context) -> String {
    println!("loud line");
    print!("loud word");
    let child = Command::new("sh").args(["-c", "echo loud child; cat"]).stderr(Stdio::null()).status();
    let mut read = String::new();
    std::io::stdin().read_to_string(&mut read).unwrap();
    format!("{} {read:?}", child.unwrap().success())
}

/// The process that the others start; by itself it does nothing.
#[test]
fn the_process_that_serves() {
    if std::env::var_os(SERVES).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(calculator().tool(Tool::new("print", print)).serve_stdio()).unwrap();
    println!("after the server");
}

fn arguments() -> [&'static str; 3] {
    ["serve_pipe::stdio::the_process_that_serves", "--exact", "--nocapture"]
}

fn command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments()).env(SERVES, "1");
    command
}

fn call(name: &str, id: i64) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",{META}}}}}\n"
    )
}

/// Reads up to the next message; the harness of the tests prints before the server begins.
fn message(output: &mut impl BufRead) -> Value {
    loop {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server has ended");
        assert!(!line.contains("loud"), "{line}");
        if line.starts_with('{') {
            return serde_json::from_str(&line).unwrap();
        }
    }
}

fn rest_of(mut output: impl BufRead) -> String {
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    rest
}

fn started() -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child =
        command().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

#[test]
fn what_is_printed_meanwhile_goes_to_stderr() {
    let (mut child, mut output) = started();
    let mut input = child.stdin.take().unwrap();
    input.write_all(call("print", 1).as_bytes()).unwrap();
    assert_eq!(message(&mut output)["result"]["content"][0]["text"], r#"true """#);
    drop(input);
    let rest = rest_of(output);
    assert!(rest.starts_with("after the server"), "stdout is not back: {rest}");
    let errors = rest_of(BufReader::new(child.stderr.take().unwrap()));
    for word in ["loud line", "loud word", "loud child"] {
        assert!(errors.contains(word), "{word} is missing in: {errors}");
    }
    assert!(child.wait().unwrap().success());
}

#[test]
fn signals_end_subscriptions_and_then_the_process() {
    let (mut child, mut output) = started();
    let mut input = child.stdin.take().unwrap();
    let listen = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"subscriptions/listen\",\"params\":{{\"notifications\":{{\"toolsListChanged\":true}},{META}}}}}\n"
    );
    input.write_all(listen.as_bytes()).unwrap();
    assert_eq!(message(&mut output)["method"], "notifications/subscriptions/acknowledged");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ended = message(&mut output);
    assert_eq!(ended["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 5);
    assert!(child.wait().unwrap().success());
}

#[test]
fn sockets_serve_as_standard_streams() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let other = OwnedFd::from(theirs.try_clone().unwrap());
    let mut child =
        command().stdin(OwnedFd::from(theirs)).stdout(other).stderr(Stdio::null()).spawn().unwrap();
    let mut output = BufReader::new(ours.try_clone().unwrap());
    (&ours).write_all(call("chatter", 1).as_bytes()).unwrap();
    assert_eq!(message(&mut output)["result"]["content"][0]["text"], "done");
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(rest_of(output).contains("after the server"));
    assert!(child.wait().unwrap().success());
}

#[test]
fn files_serve_as_standard_streams() {
    let directory = tempfile::tempdir().unwrap();
    let (asked, answered) = (directory.path().join("in"), directory.path().join("out"));
    std::fs::write(&asked, call("chatter", 1) + &call("chatter", 2)).unwrap();
    let mut child = command()
        .stdin(File::open(&asked).unwrap())
        .stdout(File::create(&answered).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    let text = std::fs::read_to_string(&answered).unwrap();
    let messages: Vec<Value> = text
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(messages.len(), 2, "{text}");
    assert_eq!(messages[1]["id"], json!(2));
    assert!(text.contains("after the server"));
}

#[tokio::test]
async fn a_client_starts_it_and_stays_modern() {
    let program = std::env::current_exe().unwrap();
    let transport = ChildProcess::new(program.to_str().unwrap()).args(arguments()).env(SERVES, "1");
    let client = Client::builder("t", "0").connect(transport).await.unwrap();
    assert_eq!(client.revision(), diglot::Revision::V2026_07_28);
    let result = client.call_tool("divide", json!({ "a": 9, "b": 3 })).await.unwrap();
    assert_eq!(result.text(), "3");
    client.close().await;
}

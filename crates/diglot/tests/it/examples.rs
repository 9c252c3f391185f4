//! The examples, each run and called once.
//!
//! Cargo builds them before it runs the tests of the package; where only this binary was built they are not there, and
//! the tests say so and pass.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use diglot::client::OnDrop;
use diglot::types::{ElicitParams, ElicitResult};
use diglot::{ChildProcess, Client, Mode, StreamableHttp};
use serde_json::json;
use serde_json::value::to_raw_value;

/// Finds an example beside this binary.
fn example(name: &str) -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.parent()?.join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        eprintln!("the example {name} was not built");
        return None;
    }
    Some(path)
}

/// Connects to an example over a pipe, in each era; nothing where it was not built.
async fn over_pipes(name: &str) -> Vec<Client> {
    let mut clients = Vec::new();
    for mode in [Mode::Modern, Mode::Legacy] {
        let Some(path) = example(name) else { break };
        let answer = to_raw_value(&json!({ "yes": true, "label": "v2" })).unwrap();
        let builder = Client::builder("test", "0").mode(mode).on_elicitation(move |_: ElicitParams| {
            let answer = answer.clone();
            async move { ElicitResult::accept(answer) }
        });
        clients.push(builder.connect(ChildProcess::new(path)).await.unwrap());
    }
    clients
}

#[tokio::test]
async fn hello_divides() {
    for client in over_pipes("hello").await {
        let quotient: i64 =
            client.call_tool("divide", json!({ "a": 6, "b": 3 })).await.unwrap().parse().unwrap();
        assert_eq!(quotient, 2);
        client.close().await;
    }
}

#[tokio::test]
async fn the_basket_keeps_what_is_put_in() {
    for client in over_pipes("stateful").await {
        client.call_tool("put", json!({ "name": "apple", "count": 3 })).await.unwrap();
        let rest = client.call_tool("take", json!({ "name": "apple" })).await.unwrap();
        assert_eq!(rest.structured.unwrap().get(), r#"{"fruits":{"apple":2}}"#);
        client.close().await;
    }
}

#[tokio::test]
async fn the_deployment_asks_first() {
    for client in over_pipes("elicitation").await {
        let result = client.call_tool("deploy", json!({ "target": "moon" })).await.unwrap();
        assert_eq!(result.text(), "deployed v2 to moon");
        client.close().await;
    }
}

#[tokio::test]
async fn the_training_goes_on_as_a_task() {
    for client in over_pipes("tasks").await {
        let training = client.call_tool("train", json!({ "epochs": 2 })).tasks(OnDrop::Cancel);
        assert_eq!(training.await.unwrap().text(), "published after 2 epochs");
        client.close().await;
    }
}

/// An example that listens; it ends with this.
struct Listening {
    process: Child,
    url: String,
}

impl Listening {
    fn start(name: &str) -> Option<Self> {
        let mut command = Command::new(example(name)?);
        let mut process = command.arg("127.0.0.1:0").stderr(Stdio::piped()).spawn().unwrap();
        let line = BufReader::new(process.stderr.take().unwrap()).lines().next().unwrap().unwrap();
        let url = line.strip_prefix("listening on ").unwrap().to_owned();
        Some(Self { process, url })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn the_layer_says_who_calls() {
    let Some(listening) = Listening::start("axum_auth") else { return };
    for mode in [Mode::Modern, Mode::Legacy] {
        let builder = || Client::builder("test", "0").mode(mode);
        assert!(builder().connect(StreamableHttp::new(&listening.url).unwrap()).await.is_err());
        let known = StreamableHttp::new(&listening.url).unwrap().bearer("bob-token").unwrap();
        let client = builder().connect(known).await.unwrap();
        assert_eq!(client.call_tool("whoami", json!({})).await.unwrap().text(), "You are bob.");
    }
}

#[tokio::test]
async fn the_seconds_can_be_read() {
    let Some(listening) = Listening::start("subscriptions") else { return };
    let client =
        Client::builder("test", "0").connect(StreamableHttp::new(&listening.url).unwrap()).await.unwrap();
    let read = client.read_resource("demo://seconds").await.unwrap();
    assert!(read.contents[0].as_text().unwrap().ends_with(" seconds"));
}

#[test]
fn the_seconds_are_heard_passing() {
    let Some(listening) = Listening::start("subscriptions") else { return };
    let Some(path) = example("listen") else { return };
    let mut command = Command::new(path);
    command.args([listening.url.as_str(), "demo://seconds"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    let is_heard = lines.take(2).all(|line| line.starts_with("demo://seconds: "));
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(is_heard);
}

#[cfg(unix)]
#[test]
fn the_socket_carries_a_call() {
    let Some(path) = example("unix_socket") else { return };
    let output = Command::new(path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2026-07-28: Hello over a Unix socket.\n");
    assert!(output.status.success());
}

//! `diglot serve --demo`, called by the command itself over each of its wires.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::run::{Ran, command, run};

const DIGLOT: &str = env!("CARGO_BIN_EXE_diglot");

/// A server that was started; it is killed at the latest with this.
struct Served {
    process: Child,
    place: String,
}

impl Served {
    /// Starts a server and waits until it says where it listens.
    fn start(words: &[&str]) -> Self {
        let mut command = command(&std::env::temp_dir());
        command.args(["serve", "--demo"]).args(words).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let place = line.strip_prefix("listening on ").unwrap().to_owned();
        Self { process, place }
    }

    /// Calls `add` in an era.
    fn add(&self, mode: &str) -> Ran {
        run(&["call", "--mode", mode, &self.place, "add", "a=2", "b=3"])
    }

    /// Sends a signal and returns the exit status.
    fn end(mut self, signal: &str) -> Option<i32> {
        assert!(
            Command::new("kill").args([signal, &self.process.id().to_string()]).status().unwrap().success()
        );
        self.process.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended in good order already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_child_process_serves_both_eras() {
    for mode in ["modern", "legacy"] {
        let words = ["call", "--mode", mode, "--json", "add", "a=2", "b=3", "--", DIGLOT, "serve", "--demo"];
        let ran = run(&words);
        assert_eq!(ran.exit, 0, "{}", ran.told());
        assert_eq!(ran.json()["structuredContent"]["sum"], 5, "{}", ran.told());
        let ran = run(&["call", "--mode", mode, "fail", "--", DIGLOT, "serve", "--demo", "--stdio"]);
        assert_eq!(ran.exit, 5, "{}", ran.told());
    }
}

#[test]
fn http_serves_both_eras_until_an_interrupt() {
    let served = Served::start(&["--http", "127.0.0.1:0"]);
    assert!(
        served.place.starts_with("http://127.0.0.1:") && served.place.ends_with("/mcp"),
        "{}",
        served.place
    );
    for mode in ["modern", "legacy"] {
        let ran = served.add(mode);
        assert_eq!(ran.stdout.trim(), "5", "{}", ran.told());
    }
    let ran = run(&["probe", "--json", &served.place]);
    assert_eq!(ran.json()["server"]["name"], "diglot-demo", "{}", ran.told());
    assert_eq!(served.end("-INT"), Some(130));
}

#[test]
fn a_unix_socket_serves_both_eras_until_it_is_told_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.sock");
    let served = Served::start(&["--unix", path.to_str().unwrap()]);
    assert_eq!(served.place, format!("unix://{}:/mcp", path.display()));
    for mode in ["modern", "legacy"] {
        let ran = served.add(mode);
        assert_eq!(ran.stdout.trim(), "5", "{}", ran.told());
    }
    assert_eq!(served.end("-TERM"), Some(143));
    assert!(!path.exists());
}

#[test]
fn a_place_that_is_taken_is_said_so() {
    let served = Served::start(&["--http", "127.0.0.1:0"]);
    let address = served.place.trim_start_matches("http://").trim_end_matches("/mcp");
    let ran = run(&["serve", "--demo", "--json", "--http", address]);
    ran.failed(3, "connection-failed");
}

#[test]
fn a_line_that_cannot_be_meant_is_refused() {
    for words in [
        &["serve"][..],
        &["serve", "--demo", "--stdio", "--http", "127.0.0.1:0"],
        &["serve", "--demo", "--http", "nowhere"],
    ] {
        let ran = run(words);
        assert_eq!(ran.exit, 2, "{words:?}: {}", ran.told());
    }
}

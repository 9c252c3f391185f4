//! Ctrl-C: the command ends, and so does its child.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::run::command;

/// Starts a call of a server that never answers, interrupts it, and returns its exit status.
///
/// The server tells its process id on stderr, which `-v` passes on, and starts another process of its own.
fn interrupted(signal: &str, script: &str) -> (Option<i32>, Vec<String>) {
    let mut command = command(&std::env::temp_dir());
    command.args(["probe", "-v", "--probe-timeout", "60s", "--", "sh", "-c", script]);
    let mut process =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let told = lines.find_map(|line| line.split_once("pids ").map(|(_, pids)| pids.to_owned())).unwrap();
    let sent = Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = process.wait().unwrap();
    (status.code(), told.split_whitespace().map(str::to_owned).collect())
}

fn is_alive(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    // A process that nobody has waited for yet is dead all the same.
    state.is_ok_and(|state| !state.contains(") Z "))
}

#[test]
fn an_interrupt_leaves_no_process_behind() {
    let script = "sleep 600 & echo pids $$ $! >&2; while read -r line; do :; done; wait";
    for (signal, exit) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let (status, pids) = interrupted(signal, script);
        assert_eq!(status, Some(exit));
        assert_eq!(pids.len(), 2);
        let gone = (0..200).any(|_| {
            std::thread::yield_now();
            let alive = pids.iter().any(|pid| is_alive(pid));
            if alive {
                // The system reaps in its own time.
                let _ = Command::new("true").status();
            }
            !alive
        });
        assert!(gone, "{pids:?} are alive after {signal}");
    }
}

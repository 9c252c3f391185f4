//! Parts that are played in a process of their own, since what they measure or raise is that of a process.
//!
//! The test's own binary plays them: [`a_part`] is what it does when it is started again with the name of one.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{connections, streams};
use crate::recording::PART;

pub(super) const HALF_OPEN: &str = "half-open";
pub(super) const SESSIONS: &str = "sessions";
pub(super) const STREAMS: &str = "streams";

/// Makes the command that plays a part.
pub(super) fn command(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "serve_faults::parts::a_part", "--nocapture", "--quiet"]).env(PART, part);
    command.stdin(Stdio::null());
    command
}

/// Plays a part to its good end, and returns what it told.
pub(super) fn play(part: &str) -> String {
    let output = command(part).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    told
}

/// Tells something to who has the part played.
pub(super) fn tell(lines: &str) {
    std::io::stdout().lock().write_all(format!("\n{lines}\n").as_bytes()).unwrap();
}

/// Returns a number that a part told.
pub(super) fn number(told: &str, name: &str) -> usize {
    let number = told.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    number.unwrap_or_else(|| panic!("no {name} in: {told}"))
}

#[test]
fn a_part() {
    match std::env::var(PART).as_deref() {
        Ok(HALF_OPEN) => run(connections::half_open()),
        Ok(SESSIONS) => run(streams::abandoned_sessions()),
        Ok(STREAMS) => run(streams::until_terminated()),
        _ => {}
    }
}

fn run(part: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(part);
}

/// Lets this process have as many files as the system allows, and returns how many these are.
pub(super) fn most_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    limit.maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap())
}

/// Returns how much memory this process has now, in KiB.
pub(super) fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    resident.trim().trim_end_matches(" kB").parse().unwrap()
}

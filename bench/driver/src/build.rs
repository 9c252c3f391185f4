//! The suite of building: users' crates, each built from nothing and again after one changed line.
//!
//! A crate is built in a folder that is emptied first; what has to be downloaded is downloaded before the clock starts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use crate::Failure;
use crate::peers::{
    Peer, SAMPLE_HTTP_FLOOR, SAMPLE_HTTP_OURS, SAMPLE_HTTP_RMCP, SAMPLE_STDIO_FLOOR, SAMPLE_STDIO_OURS,
    SAMPLE_STDIO_RMCP, SAMPLE_TLS_OURS, folder,
};
use crate::row::{Goal, Row};

/// How often one line is changed; the quickest build counts, since all that can happen beside it makes one slower.
const CHANGES: usize = 3;

const FIGURES: &[&str] =
    &["crates", "s, cold release build", "s of CPU for it", "MB, stripped", "s, after one changed line"];

/// Every row.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    Row { name: "stdio", about: "a server over pipes with 50 typed tools", figures: FIGURES, is_count: true,
          peers: &[&SAMPLE_STDIO_FLOOR, &SAMPLE_STDIO_RMCP, &SAMPLE_STDIO_OURS], measure,
          goals: &[Goal { figure: 0, of: &SAMPLE_STDIO_OURS, than: None, most: 40.0 },
                   Goal { figure: 1, of: &SAMPLE_STDIO_OURS, than: None, most: 30.0 },
                   Goal { figure: 3, of: &SAMPLE_STDIO_OURS, than: None, most: 2.0 },
                   Goal { figure: 4, of: &SAMPLE_STDIO_OURS, than: None, most: 5.0 }] },
    Row { name: "http", about: "a server over HTTP with 50 typed tools, and a client of it, without TLS", figures: FIGURES, is_count: true,
          peers: &[&SAMPLE_HTTP_FLOOR, &SAMPLE_HTTP_RMCP, &SAMPLE_HTTP_OURS], measure,
          goals: &[Goal { figure: 0, of: &SAMPLE_HTTP_OURS, than: None, most: 100.0 },
                   Goal { figure: 1, of: &SAMPLE_HTTP_OURS, than: None, most: 80.0 },
                   Goal { figure: 3, of: &SAMPLE_HTTP_OURS, than: None, most: 5.0 },
                   Goal { figure: 4, of: &SAMPLE_HTTP_OURS, than: None, most: 5.0 }] },
    Row { name: "tls", about: "the same with Diglot's defaults, whose HTTP client has TLS", figures: FIGURES, is_count: true,
          peers: &[&SAMPLE_TLS_OURS], measure, goals: &[] },
];

/// Builds a user's crate.
fn measure(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let sample = Sample { crate_folder: peer.sample(), target: folder().join("target/samples") };
    sample.cargo(&["fetch"], "0")?;
    if sample.target.exists() {
        fs::remove_dir_all(&sample.target)?;
    }
    let before = used_by_children()?;
    let begun = Instant::now();
    let built = sample.cargo(&["build", "--release", "--message-format=json"], "0")?;
    let cold = begun.elapsed();
    let used = used_by_children()? - before;
    let (crates, program) = read(&built).ok_or("the build made no program")?;
    let bytes = fs::metadata(program)?.len();
    let mut again = Duration::MAX;
    for change in 1..=CHANGES {
        let begun = Instant::now();
        sample.cargo(&["build", "--release"], &change.to_string())?;
        again = again.min(begun.elapsed());
    }
    fs::remove_dir_all(&sample.target)?;
    Ok(vec![crates as f64, cold.as_secs_f64(), used.as_secs_f64(), bytes as f64 / 1e6, again.as_secs_f64()])
}

/// One user's crate, and where it is built.
struct Sample {
    crate_folder: PathBuf,
    target: PathBuf,
}

impl Sample {
    /// Runs cargo with the text of the line that changes, and returns what it says.
    fn cargo(&self, words: &[&str], line: &str) -> Result<String, Failure> {
        let output = Command::new(env!("CARGO"))
            .args(words)
            .arg("--quiet")
            .current_dir(&self.crate_folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("BENCH_LINE", line)
            .output()?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout)?),
            false => {
                let text = String::from_utf8_lossy(&output.stderr);
                Err(format!("{} does not build: {text}", self.crate_folder.display()).into())
            }
        }
    }
}

/// Reads what was built: how many crates besides the user's own, and the program.
fn read(messages: &str) -> Option<(usize, &Path)> {
    let artifacts = || messages.lines().filter(|line| line.contains(r#""reason":"compiler-artifact""#));
    let packages: BTreeSet<&str> = artifacts().filter_map(|line| word(line, "package_id")).collect();
    let program = artifacts().find_map(|line| word(line, "executable"))?;
    Some((packages.len().checked_sub(1)?, Path::new(program)))
}

/// Finds the text of a member; paths and names of packages have nothing that JSON escapes.
fn word<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.find(&format!("\"{name}\":\""))? + name.len() + 4;
    line.get(start..)?.split('"').next()
}

/// Returns the processor time of all processes that have ended.
fn used_by_children() -> Result<Duration, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| {
        Duration::from_micros(time.tv_sec().unsigned_abs() * 1_000_000 + time.tv_usec().unsigned_abs())
    };
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::read;

    #[test]
    fn crates_are_counted_once_and_without_the_users_own() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","package_id":"a#1","executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","package_id":"a#1","executable":null}"#,
            "\n",
            r#"{"reason":"build-script-executed","package_id":"b#1"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","package_id":"own#1","executable":"/t/own"}"#,
        );
        assert_eq!(read(messages), Some((1, Path::new("/t/own"))));
    }
}

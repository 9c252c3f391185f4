//! A client that is told what to do, and what it needs for it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};

use crate::Failure;
use crate::child::{How, Server};
use crate::counts::{self, Counts};
use crate::peers::Peer;

/// How many calls are measured, and how many are made before.
const CALLS: u64 = 6_400;
const WARM: u64 = 640;

/// The calls of the two runs whose difference is counted.
const FEW: u64 = 192;
const MANY: u64 = 576;

/// A running client.
pub(super) struct Told {
    process: Server,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Told {
    pub(super) fn start(peer: &Peer, server: &[&str], how: &How) -> Result<Self, Failure> {
        let mut process = peer.client(server, how)?;
        let (input, output) = process.pipes.take().ok_or("the client has no pipes")?;
        Ok(Self { process, input, output: BufReader::new(output) })
    }

    /// Has it do something, and returns how many seconds of processor time that took.
    pub(super) fn tell(&mut self, words: &str) -> Result<f64, Failure> {
        let before = self.process.used()?;
        writeln!(self.input, "{words}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        match line.trim() {
            "done" => Ok((self.process.used()? - before).as_secs_f64()),
            _ => Err(format!("the client failed at `{words}`").into()),
        }
    }

    pub(super) fn end(self) -> Result<(), Failure> {
        drop(self.input);
        self.process.end()
    }
}

/// Measures the processor time of a call, in microseconds.
pub(super) fn cpu(peer: &Peer, server: &[&str], words: &str) -> Result<Vec<f64>, Failure> {
    let mut client = Told::start(peer, server, &How::default())?;
    client.tell("connect")?;
    client.tell(&format!("{words} {WARM}"))?;
    let used = client.tell(&format!("{words} {CALLS}"))?;
    client.end()?;
    Ok(vec![used * 1e6 / CALLS as f64])
}

/// Counts the instructions and allocations of a call.
pub(super) fn counted(peer: &Peer, server: &[&str], words: &str) -> Result<Vec<f64>, Failure> {
    let few = count(peer, server, words, FEW)?;
    let each = count(peer, server, words, MANY)?.since(few, MANY - FEW);
    Ok(vec![each.instructions, each.allocations])
}

fn count(peer: &Peer, server: &[&str], words: &str, calls: u64) -> Result<Counts, Failure> {
    let file = std::env::temp_dir().join(format!("bench-{}.callgrind", std::process::id()));
    let how = How { counts: Some(file.clone()), ..How::default() };
    let mut client = Told::start(peer, server, &how)?;
    client.tell("connect")?;
    client.tell(&format!("{words} {calls}"))?;
    client.end()?;
    let counts = counts::read(&file);
    std::fs::remove_file(file)?;
    counts
}

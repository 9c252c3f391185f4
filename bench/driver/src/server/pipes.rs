//! Calls over pipes.

use std::time::Duration;

use crate::Failure;
use crate::child::How;
use crate::counts::{self, Counts};
use crate::http::Until;
use crate::peers::Peer;
use crate::stdio::Pipes;

const TIME: Until = Until::Time(Duration::from_millis(1500));
const WARM: Until = Until::Count(200);

/// The requests of the two runs whose difference is counted.
const FEW: u64 = 200;
const MANY: u64 = 600;

pub(super) fn one(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, Pipes::one_at_a_time)
}

pub(super) fn many(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, |pipes, until| pipes.outstanding(64, until))
}

fn cpu(peer: &Peer, load: fn(&mut Pipes, Until) -> Result<u64, Failure>) -> Result<Vec<f64>, Failure> {
    let mut server = peer.stdio(&How::default())?;
    let mut pipes = Pipes::open(server.pipes.take())?;
    load(&mut pipes, WARM)?;
    let before = server.used()?;
    let calls = load(&mut pipes, TIME)?;
    let used = server.used()? - before;
    drop(pipes);
    server.end()?;
    Ok(vec![used.as_secs_f64() * 1e6 / calls as f64])
}

pub(super) fn counted(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let few = count(peer, FEW)?;
    let each = count(peer, MANY)?.since(few, MANY - FEW);
    Ok(vec![each.instructions, each.allocations])
}

fn count(peer: &Peer, calls: u64) -> Result<Counts, Failure> {
    let file = std::env::temp_dir().join(format!("bench-{}.callgrind", std::process::id()));
    let mut server = peer.stdio(&How { counts: Some(file.clone()), ..How::default() })?;
    let mut pipes = Pipes::open(server.pipes.take())?;
    pipes.outstanding(64, Until::Count(calls))?;
    server.end()?;
    drop(pipes);
    let counts = counts::read(&file);
    std::fs::remove_file(file)?;
    counts
}

/// Measures by what the memory of a server grows whose client writes and does not read.
pub(super) fn flood(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let mut server = peer.stdio(&How::default())?;
    let mut pipes = Pipes::open(server.pipes.take())?;
    // What it needs anyway.
    pipes.outstanding(64, WARM)?;
    let before = server.resident()?;
    let (writer, output) = pipes.flood(200_000);
    std::thread::sleep(Duration::from_secs(3));
    let grown = server.resident()? - before;
    server.end()?;
    drop(output);
    let _ = writer.join();
    Ok(vec![grown / (1024.0 * 1024.0)])
}

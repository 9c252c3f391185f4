//! The suite of the server: each row is one question that is put to several programs in turn.
//!
//! In every round each program is started anew and measured once, so that what the machine does meanwhile meets all of
//! them alike. The first program of a row is what the others are compared with.

mod calls;
mod memory;
mod pipes;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use crate::peers::{
    self, AXUM, HYPER, OURS, OURS_AXUM, OURS_STDIO, Peer, RMCP, RMCP_MACROS, RMCP_PIPES, RMCP_SSE, RMCP_STDIO,
    RMCP_STDIO_MACROS, STDIO,
};
use crate::table::{self, Line};
use crate::{Failure, Options};

/// One question.
struct Row {
    name: &'static str,
    about: &'static str,
    /// What is measured each time.
    figures: &'static [&'static str],
    peers: &'static [&'static Peer],
    /// Whether one round tells all: a count does not depend on the time.
    is_count: bool,
    measure: fn(&Peer) -> Result<Vec<f64>, Failure>,
}

const CPU: &[&str] = &["µs of CPU a request"];
const COUNT: &[&str] = &["instructions a request", "allocations a request"];
const KIB: &[&str] = &["KiB each"];

/// Every row.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { name: "short", about: "tools/call, short, modern, 64 connections", figures: CPU, is_count: false,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS, &OURS_AXUM], measure: calls::short },
    Row { name: "short-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS, &OURS_AXUM], measure: calls::short_count },
    Row { name: "tail", about: "tools/call, short, modern, 256 connections", is_count: false,
          figures: &["ms, median", "ms, 99 %"],
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS], measure: calls::tail },
    Row { name: "session", about: "tools/call, short, legacy, 64 connections, a session each", figures: CPU, is_count: false,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::session },
    Row { name: "session-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::session_count },
    Row { name: "large", about: "tools/call, 64 KiB there and back, modern, 16 connections", figures: CPU, is_count: false,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::large },
    Row { name: "answer", about: "tools/call, 64 KiB back, modern, 16 connections", figures: CPU, is_count: false,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::answer },
    Row { name: "list", about: "tools/list, 50 tools, modern, 64 connections; the floor has the bytes ready", figures: CPU, is_count: false,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::list },
    Row { name: "list-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::list_count },
    Row { name: "stdio", about: "tools/call, short, modern, over pipes, one at a time", figures: CPU, is_count: false,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::one },
    Row { name: "stdio-64", about: "the same, 64 outstanding", figures: CPU, is_count: false,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::many },
    Row { name: "stdio-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::counted },
    Row { name: "flood", about: "200 000 calls over pipes whose answers nobody reads for 3 seconds", figures: &["MiB resident"], is_count: false,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &OURS_STDIO], measure: pipes::flood },
    Row { name: "idle", about: "an idle legacy session without a connection", figures: KIB, is_count: false,
          peers: &[&RMCP, &OURS], measure: memory::idle },
    Row { name: "stream", about: "an idle legacy session with its GET stream, connection included", figures: KIB, is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::stream },
    Row { name: "listen", about: "an open subscriptions/listen stream, connection included", figures: KIB, is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::listen },
    Row { name: "change", about: "one change told to 5 000 streams", figures: &["µs of CPU a stream"], is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::change },
];

/// Runs the rows that are asked for.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let is_asked = |row: &&Row| options.rows.is_empty() || options.rows.iter().any(|name| *name == row.name);
    let rows: Vec<&Row> = ROWS.iter().filter(is_asked).collect();
    if rows.is_empty() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        return Err(format!("the rows are {}", names.join(", ")).into());
    }
    peers::build(rows.iter().flat_map(|row| row.peers))?;
    keep_to_first_core();
    for row in rows {
        println!("**{}**: {}\n", row.name, row.about);
        println!("{}", table::write(row.figures, &ask(row, options.rounds)));
    }
    Ok(())
}

/// Puts the question to every program, round by round; one that fails in a round is passed over in it.
fn ask(row: &Row, rounds: usize) -> Vec<Line> {
    let mut lines: Vec<Line> =
        row.peers.iter().map(|peer| Line { name: peer.name, rounds: Vec::new() }).collect();
    for round in 1..=if row.is_count { 1 } else { rounds } {
        for (peer, line) in row.peers.iter().zip(&mut lines) {
            match (row.measure)(peer) {
                Ok(values) => line.rounds.push(values),
                Err(error) => eprintln!("{}, {}, round {round}: {error}", row.name, peer.name),
            }
        }
    }
    lines
}

/// Leaves the other core to the servers.
fn keep_to_first_core() {
    let mut set = CpuSet::new();
    if set.set(0).is_ok() && sched_setaffinity(Pid::from_raw(0), &set).is_err() {
        eprintln!("the load could not be kept to one core");
    }
}

//! One question of a suite: who is asked, what is measured, and what is aimed at.
//!
//! In every round each program is started anew and measured once, so that what the machine does meanwhile meets all of
//! them alike.

use std::time::Instant;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use crate::peers::{self, Peer};
use crate::table::{self, Line};
use crate::{Failure, Options, Suite};

/// One question.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What is measured each time.
    pub(crate) figures: &'static [&'static str],
    /// The first one is what the others are compared with.
    pub(crate) peers: &'static [&'static Peer],
    /// Whether one round tells all: a count does not depend on the time.
    pub(crate) is_count: bool,
    pub(crate) measure: fn(&Peer) -> Result<Vec<f64>, Failure>,
    pub(crate) goals: &'static [Goal],
}

/// What is aimed at: a figure of a program is at most so much, or so many times that of another program.
pub(crate) struct Goal {
    /// The place of the figure in the row.
    pub(crate) figure: usize,
    pub(crate) of: &'static Peer,
    pub(crate) than: Option<&'static Peer>,
    pub(crate) most: f64,
}

/// Runs the rows that are asked for: a table each, and at the end one of what was aimed at.
pub(crate) fn run(suite: &Suite, options: &Options) -> Result<(), Failure> {
    let is_asked = |row: &&Row| options.rows.is_empty() || options.rows.iter().any(|name| *name == row.name);
    let rows: Vec<&Row> = suite.rows.iter().filter(is_asked).collect();
    if rows.is_empty() {
        return Err("there is no such row; `bench` alone lists the suites and their rows".into());
    }
    if !options.is_built {
        let asked = |peer: &&&Peer| options.asks(peer.name);
        peers::build(rows.iter().flat_map(|row| row.peers.iter().filter(asked)).chain(suite.others))?;
    }
    println!("{}\n", machine(options.rounds));
    if !suite.is_on_all_cores {
        keep_to_first_core();
    }
    let begun = Instant::now();
    let mut reached = String::from(table::GOALS);
    for row in rows {
        let lines = ask(row, options);
        println!("**{}**: {}\n", row.name, row.about);
        println!("{}", table::write(row.figures, &lines));
        for goal in row.goals {
            reached.push_str(&table::goal(row, goal, &lines));
        }
    }
    println!("{reached}");
    println!("It took {:.0} s.", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Puts the question to every program, round by round; one that fails in a round is passed over in it.
fn ask(row: &Row, options: &Options) -> Vec<Line> {
    let peers = || row.peers.iter().filter(|peer| options.asks(peer.name));
    let mut lines: Vec<Line> = peers().map(|peer| Line { name: peer.name, rounds: Vec::new() }).collect();
    for round in 1..=if row.is_count { 1 } else { options.rounds } {
        for (peer, line) in peers().zip(&mut lines) {
            match (row.measure)(peer) {
                Ok(values) => line.rounds.push(values),
                Err(error) => eprintln!("{}, {}, round {round}: {error}", row.name, peer.name),
            }
        }
    }
    lines
}

/// Says what the run was made on, since times without it say little.
fn machine(rounds: usize) -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let processor = processor.map_or("an unknown processor", |(_, name)| name);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} cores of {processor}; load before the run {load}; medians of {rounds} rounds.")
}

/// Leaves the other core to the programs that are measured.
fn keep_to_first_core() {
    let mut set = CpuSet::new();
    if set.set(0).is_ok() && sched_setaffinity(Pid::from_raw(0), &set).is_err() {
        eprintln!("the load could not be kept to one core");
    }
}

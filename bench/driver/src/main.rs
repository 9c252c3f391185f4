//! `bench SUITE [ROW…] [--rounds N] [--without WORD] [--no-build]`: what Diglot costs, beside a floor and a peer, in one run.
//!
//! A suite is one line of [`SUITES`] and one module with its rows.

mod build;
mod child;
mod client;
mod counts;
mod http;
mod peers;
mod request;
mod row;
mod server;
mod stdio;
mod table;

use std::error::Error;
use std::process::ExitCode;

use peers::{OURS, Peer};
use row::Row;

/// Anything that goes wrong ends the run.
pub(crate) type Failure = Box<dyn Error>;

/// A command of the bench.
pub(crate) struct Suite {
    name: &'static str,
    about: &'static str,
    rows: &'static [Row],
    /// Programs at the other end of what is measured.
    others: &'static [&'static Peer],
    /// Whether it is measured on every core, as a build is.
    is_on_all_cores: bool,
}

/// Every suite, one row each.
#[rustfmt::skip]
const SUITES: &[Suite] = &[
    Suite { name: "server", about: "what answering costs: time, instructions, allocations, memory",
            rows: server::ROWS, others: &[], is_on_all_cores: false },
    Suite { name: "client", about: "what asking costs: requests, connections, time, instructions, allocations",
            rows: client::ROWS, others: &[&OURS], is_on_all_cores: false },
    Suite { name: "build", about: "what building costs: crates, seconds, bytes",
            rows: build::ROWS, others: &[], is_on_all_cores: true },
];

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Options {
    /// The rows to run; all where there is none.
    pub(crate) rows: Vec<String>,
    /// How many times each program is measured.
    pub(crate) rounds: usize,
    /// A word in the names of programs that are left out.
    pub(crate) without: Option<String>,
    /// Whether the programs are taken as they were built before.
    pub(crate) is_built: bool,
}

impl Options {
    /// Tells whether a program is to be measured.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.without.as_ref().is_none_or(|word| !name.contains(word))
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let Some(suite) = SUITES.iter().find(|suite| suite.name == name) else {
        eprintln!("usage: bench SUITE [ROW…] [--rounds N] [--without WORD] [--no-build]");
        for suite in SUITES {
            let rows: Vec<&str> = suite.rows.iter().map(|row| row.name).collect();
            eprintln!("  {:8} {}: {}", suite.name, suite.about, rows.join(", "));
        }
        return ExitCode::FAILURE;
    };
    let mut options = Options { rows: Vec::new(), rounds: 3, without: None, is_built: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => {
                let rounds = words.next().and_then(|number| number.parse().ok());
                options.rounds = rounds.unwrap_or(options.rounds).max(1);
            }
            "--no-build" => options.is_built = true,
            "--without" => options.without = words.next(),
            _ => options.rows.push(word),
        }
    }
    match row::run(suite, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

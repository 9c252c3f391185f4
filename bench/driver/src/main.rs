//! `bench server [ROW…] [--rounds N]`: what Diglot's server costs, beside a floor and a peer, in one run.
//!
//! `bench build` measures what building costs. A suite is one row of [`SUITES`] and one module.

mod build;
mod child;
mod counts;
mod http;
mod peers;
mod request;
mod server;
mod stdio;
mod table;

use std::error::Error;
use std::process::ExitCode;

/// Anything that goes wrong ends the run.
pub(crate) type Failure = Box<dyn Error>;

/// A command of the bench.
struct Suite {
    name: &'static str,
    about: &'static str,
    run: fn(&Options) -> Result<(), Failure>,
}

/// Every suite, one row each.
#[rustfmt::skip]
const SUITES: &[Suite] = &[
    Suite { name: "server", about: "what answering costs: time, instructions, allocations, memory", run: server::run },
    Suite { name: "build", about: "what building costs: crates, seconds, bytes", run: build::run },
];

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Options {
    /// The rows to run; all where there is none.
    pub(crate) rows: Vec<String>,
    /// How many times each program is measured.
    pub(crate) rounds: usize,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let Some(suite) = SUITES.iter().find(|suite| suite.name == name) else {
        eprintln!("usage: bench SUITE [ROW…] [--rounds N]");
        for suite in SUITES {
            eprintln!("  {:8} {}", suite.name, suite.about);
        }
        return ExitCode::FAILURE;
    };
    let mut options = Options { rows: Vec::new(), rounds: 5 };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => {
                let rounds = words.next().and_then(|number| number.parse().ok());
                options.rounds = rounds.unwrap_or(options.rounds).max(1);
            }
            _ => options.rows.push(word),
        }
    }
    match (suite.run)(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

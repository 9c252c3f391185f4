//! `diglot completions`: what a shell needs to complete the words of this command.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::output::{Ending, Stdout};

/// Writes the completions of a shell.
pub(crate) fn run(completions: &Completions) -> Ending {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Args::command(), "diglot", &mut script);
    Ending::good(Stdout::Exact(script))
}

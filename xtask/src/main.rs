//! The project's chores, run as `cargo xtask CHORE`.
//!
//! A chore is one row of [`CHORES`] and one module; it says what is wrong in its error, which is printed as it is.

mod conformance;
mod features;
mod interop;
mod npm;
mod process;
mod schema;
mod tidy;

use std::process::ExitCode;

/// A command of `cargo xtask`.
struct Chore {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

/// Every chore, one row each.
#[rustfmt::skip]
const CHORES: &[Chore] = &[
    Chore { name: "tidy", arguments: "", about: "checks the tree against the house rules", run: |_| tidy::run() },
    Chore { name: "features", arguments: "", about: "builds every feature and pair of features alone", run: |_| features::run() },
    Chore { name: "schema", arguments: "[FILE…]", about: "holds the types and recorded traffic against the official schemas", run: schema::run },
    Chore { name: "interop", arguments: "[servers|clients] [FILTER]", about: "runs Diglot against released servers and clients", run: interop::run },
    Chore { name: "conformance", arguments: conformance::USAGE, about: "runs the official conformance suite against both sides", run: conformance::run_suite },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", &[][..]),
    };
    if matches!(name, "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(chore) = CHORES.iter().find(|chore| chore.name == name) else {
        eprint!("cargo xtask has no chore `{name}`\n\n{}", usage());
        return ExitCode::from(2);
    };
    match (chore.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let rows = CHORES.iter().map(|Chore { name, arguments, about, .. }| {
        let call = format!("{name} {arguments}");
        format!("  {call:<36} {about}\n")
    });
    format!("Usage: cargo xtask CHORE\n\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_lists_every_chore() {
        for chore in CHORES {
            assert!(usage().contains(chore.about));
        }
    }
}

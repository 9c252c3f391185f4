//! `cargo xtask conformance`: the official conformance suite against the server and the client in `conformance/`.
//!
//! The suite is pinned in `conformance/package.json`, with a node that runs it. Every scenario runs at every revision that
//! has it; those of the client run one by one, since a suite run neither sees how a client ends nor when. What is known to
//! fail stands in `conformance/expected-failures.yml`, and what must at least be seen in `conformance/minimum-checks.txt`.

mod checks;
mod client;
mod expected;
mod house;
mod minimum;
mod options;
mod requirements;
mod server;
mod table;
mod verdict;

use std::io::Write;

use self::checks::{Run, Side};
use self::expected::Expected;
use self::house::House;
use self::minimum::Minimum;
use self::options::Options;
pub(crate) use self::options::USAGE;

/// Runs the suite, or the part of it that the words choose, and writes the table.
///
/// The error says what could not be run, or what failed that was not expected to.
pub(crate) fn run_suite(words: &[String]) -> Result<(), String> {
    let options = Options::read(words)?;
    let house = House::open()?;
    let minimum = Minimum::read(&house.folder.join("minimum-checks.txt"))?;
    if options.is_self_check {
        return self_check(&house, &minimum, &options);
    }
    let expected = Expected::read(&house.expected_failures())?;
    let mut rounds = Vec::new();
    for round in 1..=options.rounds {
        if options.rounds > 1 {
            eprintln!("conformance: round {round} of {}", options.rounds);
        }
        rounds.push(run_round(&house, &options, &minimum)?);
    }
    let flakes = verdict::flakes(&rounds);
    let mut outcome = Ok(());
    for runs in &rounds {
        let verdict = verdict::judge(&expected, runs, &options);
        let text = format!("{}\n{}", table::table(runs, &expected), verdict.summary());
        house.write("RESULTS.md", &text)?;
        print(&text)?;
        outcome = outcome.and(verdict.conclude());
    }
    print(&flakes.iter().map(|flake| format!("flaky: {flake}\n")).collect::<String>())?;
    outcome.and(match flakes.is_empty() {
        true => Ok(()),
        false => Err(format!("{} scenarios did not come out the same each time", flakes.len())),
    })
}

/// Runs everything that is chosen once.
fn run_round(house: &House, options: &Options, minimum: &Minimum) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    if options.has(Side::Server) {
        runs.extend(server::run(house, options, minimum)?);
    }
    if options.has(Side::Client) {
        runs.extend(client::run(house, options, minimum, &house.client()?)?);
    }
    Ok(runs)
}

/// Runs the client's scenarios with a client that does nothing and ends well: each has to fail.
fn self_check(house: &House, minimum: &Minimum, options: &Options) -> Result<(), String> {
    let runs = client::run(house, options, minimum, "true")?;
    let all = || runs.iter().flat_map(|run| run.scenarios.iter().map(move |scenario| (run, scenario)));
    let fooled = all().filter(|(_, scenario)| scenario.is_well());
    let fooled: Vec<String> =
        fooled.map(|(run, scenario)| format!("{} at {}", scenario.name, run.label)).collect();
    match (fooled.is_empty(), all().count()) {
        (_, 0) => Err("no scenario was run".to_owned()),
        (true, count) => print(&format!("{count} scenarios see that a client does nothing\n")),
        (false, _) => Err(format!("a client that does nothing passes: {}", fooled.join(", "))),
    }
}

fn print(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| format!("printing the table: {error}"))
}

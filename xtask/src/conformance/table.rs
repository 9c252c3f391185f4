//! The table: a row for each scenario, a column for each version, and below it every check that did not pass.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::checks::{Complaint, Run, Scenario};
use super::expected::Expected;

/// Writes the table.
///
/// A cell has the checks that passed, then `F` failures, `W` warnings and `S` skipped ones; `x` marks what is expected to
/// fail.
pub(crate) fn table(runs: &[Run], expected: &Expected) -> String {
    let names: BTreeSet<&str> =
        runs.iter().flat_map(|run| &run.scenarios).map(|scenario| scenario.name.as_str()).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or_default().max("scenarios".len());
    let mut text =
        row(width, "scenario", runs.iter().map(|run| run.version.unwrap_or("unversioned").to_owned()));
    for name in names {
        text += &row(
            width,
            name,
            runs.iter().map(|run| find(run, name).map_or_else(String::new, |found| cell(found, expected))),
        );
    }
    text += &row(width, "scenarios", runs.iter().map(scenarios));
    text += &row(width, "checks", runs.iter().map(checks));
    for run in runs {
        for scenario in run.scenarios.iter().filter(|scenario| !expected.has(scenario)) {
            complain(&mut text, run, scenario, "FAILURE", &scenario.failed);
            complain(&mut text, run, scenario, "WARNING", &scenario.warned);
        }
    }
    text
}

fn row(width: usize, name: &str, cells: impl Iterator<Item = String>) -> String {
    let mut line = format!("{name:<width$}");
    for cell in cells {
        let _ = write!(line, "  {cell:<11}");
    }
    format!("{}\n", line.trim_end())
}

fn find<'a>(run: &'a Run, name: &str) -> Option<&'a Scenario> {
    run.scenarios.iter().find(|scenario| scenario.name == name)
}

fn cell(scenario: &Scenario, expected: &Expected) -> String {
    let counts = [(scenario.failed.len(), 'F'), (scenario.warned.len(), 'W'), (scenario.skipped, 'S')];
    let mut cell = scenario.passed.to_string();
    for (count, letter) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(cell, " {count}{letter}");
    }
    if expected.has(scenario) && !scenario.failed.is_empty() {
        cell += " x";
    }
    cell
}

/// How many scenarios passed, of those in which anything was checked.
fn scenarios(run: &Run) -> String {
    let ran = run.scenarios.iter().filter(|scenario| !scenario.is_skipped());
    let passed = ran.clone().filter(|scenario| scenario.failed.is_empty()).count();
    format!("{passed}/{}", ran.count())
}

fn checks(run: &Run) -> String {
    let sum = |count: fn(&Scenario) -> usize| run.scenarios.iter().map(count).sum::<usize>();
    let passed = sum(|scenario| scenario.passed);
    let warned = sum(|scenario| scenario.warned.len());
    let ran = passed + warned + sum(|scenario| scenario.failed.len());
    format!("{passed}/{ran}")
}

fn complain(text: &mut String, run: &Run, scenario: &Scenario, what: &str, complaints: &[Complaint]) {
    for Complaint { id, message } in complaints {
        let version = run.version.unwrap_or("unversioned");
        let _ = writeln!(text, "\n{what} {} at {version}: {id}\n  {message}", scenario.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_what_there_is() {
        let complaint = || Complaint { id: String::new(), message: String::new() };
        let scenario = Scenario { passed: 2, skipped: 1, failed: vec![complaint()], ..Scenario::default() };
        assert_eq!(cell(&scenario, &Expected::none()), "2 1F 1S");
    }
}

//! The table: a row for each scenario, a column for each run of its side, and below it every check that did not pass.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::checks::{Complaint, Run, Scenario, Side};
use super::expected::Expected;

/// Writes the tables, in Markdown.
///
/// A cell has the checks that passed, then `F` failures, `W` warnings and `S` skipped ones; `x` marks what is expected to
/// fail.
pub(crate) fn table(runs: &[Run], expected: &Expected) -> String {
    let mut text = String::new();
    for side in [Side::Server, Side::Client] {
        let of_side: Vec<&Run> =
            runs.iter().filter(|run| run.side == side && !run.scenarios.is_empty()).collect();
        if !of_side.is_empty() {
            text += &of(side, &of_side, expected);
        }
    }
    for run in runs {
        for scenario in run.scenarios.iter().filter(|scenario| !expected.has(run.side, scenario)) {
            complain(&mut text, run, scenario, "FAILURE", &scenario.failed);
            complain(&mut text, run, scenario, "WARNING", &scenario.warned);
        }
    }
    text
}

fn of(side: Side, runs: &[&Run], expected: &Expected) -> String {
    let names: BTreeSet<&str> =
        runs.iter().flat_map(|run| &run.scenarios).map(|scenario| scenario.name.as_str()).collect();
    let width = names.iter().map(|name| name.len() + 2).max().unwrap_or_default().max("scenarios".len());
    let widths: Vec<usize> = runs.iter().map(|run| run.label.len().max(8)).collect();
    let row = |name: &str, cells: &[String]| {
        let mut line = format!("| {name:<width$} |");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(line, " {cell:<width$} |");
        }
        line + "\n"
    };
    let cells = |of: &dyn Fn(&Run) -> String| runs.iter().map(|run| of(run)).collect::<Vec<_>>();
    let mut text = row(side.word(), &cells(&|run| run.label.clone()));
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    text += &row(&"-".repeat(width), &rules);
    for name in names {
        let of_run =
            |run: &Run| find(run, name).map_or_else(String::new, |found| cell(side, found, expected));
        text += &row(&format!("`{name}`"), &cells(&of_run));
    }
    text += &row("scenarios", &cells(&scenarios));
    text += &row("checks", &cells(&checks));
    text + "\n"
}

fn find<'a>(run: &'a Run, name: &str) -> Option<&'a Scenario> {
    run.scenarios.iter().find(|scenario| scenario.name == name)
}

fn cell(side: Side, scenario: &Scenario, expected: &Expected) -> String {
    let counts = [(scenario.failed.len(), 'F'), (scenario.warned.len(), 'W'), (scenario.skipped.len(), 'S')];
    let mut cell = scenario.passed.len().to_string();
    for (count, letter) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(cell, " {count}{letter}");
    }
    if expected.has(side, scenario) && !scenario.is_well() {
        cell += " x";
    }
    cell
}

/// How many scenarios passed, of those in which anything was checked.
fn scenarios(run: &Run) -> String {
    let ran = run.scenarios.iter().filter(|scenario| !scenario.is_skipped());
    let passed = ran.clone().filter(|scenario| scenario.is_well()).count();
    format!("{passed}/{}", ran.count())
}

fn checks(run: &Run) -> String {
    let sum = |count: fn(&Scenario) -> usize| run.scenarios.iter().map(count).sum::<usize>();
    let passed = sum(|scenario| scenario.passed.len());
    let ran = passed + sum(|scenario| scenario.warned.len() + scenario.failed.len());
    format!("{passed}/{ran}")
}

fn complain(text: &mut String, run: &Run, scenario: &Scenario, what: &str, complaints: &[Complaint]) {
    for Complaint { id, message } in complaints {
        let (side, label) = (run.side.word(), &run.label);
        let _ = writeln!(text, "{what} {} of the {side} at {label}: {id}\n  {message}\n", scenario.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        let mut scenario = Scenario::new("a");
        scenario.passed = vec!["one".to_owned(), "two".to_owned()];
        scenario.skipped.push(Complaint::new("three", ""));
        scenario.failed.push(Complaint::new("four", "no"));
        Run { side: Side::Client, label: "2025-11-25".to_owned(), scenarios: vec![scenario] }
    }

    #[test]
    fn a_cell_says_what_there_is() {
        let run = run();
        assert_eq!(cell(run.side, &run.scenarios[0], &Expected::none()), "2 1F 1S");
        let expected = Expected::parse("client:\n  - a\n").unwrap();
        assert_eq!(cell(run.side, &run.scenarios[0], &expected), "2 1F 1S x");
    }

    #[test]
    fn what_did_not_pass_stands_below_the_table() {
        let text = table(&[run()], &Expected::none());
        assert!(text.starts_with("| client    | 2025-11-25 |\n"), "{text}");
        assert!(text.ends_with("FAILURE a of the client at 2025-11-25: four\n  no\n\n"), "{text}");
    }
}

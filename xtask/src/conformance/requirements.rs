//! The frozen set of scenarios of each revision, by which the suite's authors rate an SDK.
//!
//! The suite judges them itself, warnings aside; its exit status is what counts.

use super::checks::{Complaint, Run, Scenario, Side};
use super::house::House;
use crate::process::tail;

/// The revisions that have a set.
const SETS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Runs the sets against what the words name.
pub(crate) fn run(house: &House, side: Side, target: &[String]) -> Result<Run, String> {
    eprintln!("conformance: {}, requirements", side.word());
    let mut scenarios = Vec::new();
    for set in SETS {
        let mut words = vec![side.word().to_owned()];
        words.extend_from_slice(target);
        words.extend(["--requirements", set, "--expected-failures"].map(str::to_owned));
        words.push(house.expected_failures().to_string_lossy().into_owned());
        let finished = house.suite(&words, &format!("{}-requirements-{set}", side.word()))?;
        let mut scenario = Scenario::new(format!("the set of {set}"));
        match finished.status.success() {
            true => scenario.passed.push("exit".to_owned()),
            false => scenario.failed.push(Complaint::new("exit", tail(&finished.stdout))),
        }
        scenarios.push(scenario);
    }
    Ok(Run { side, label: "requirements".to_owned(), scenarios })
}

//! The verdict over all that was run.

use std::collections::{BTreeMap, BTreeSet};

use super::checks::{Run, Side};
use super::expected::Expected;
use super::options::Options;

/// What came of everything.
#[derive(Default)]
pub(crate) struct Verdict {
    passed: usize,
    skipped: usize,
    expected: usize,
    failed: usize,
    /// The scenarios that are said to fail and do not.
    stale: Vec<String>,
    /// The runs in which nothing was run.
    empty: Vec<String>,
}

/// Judges all runs; where they are whole, entries that nothing failed by are stale.
pub(crate) fn judge(expected: &Expected, runs: &[Run], options: &Options) -> Verdict {
    let mut verdict = Verdict::default();
    let all = || runs.iter().flat_map(|run| run.scenarios.iter().map(move |scenario| (run, scenario)));
    for (run, scenario) in all() {
        *match scenario.is_well() {
            true if scenario.is_skipped() => &mut verdict.skipped,
            true => &mut verdict.passed,
            false if expected.has(run.side, scenario) => &mut verdict.expected,
            false => &mut verdict.failed,
        } += 1;
    }
    if options.is_whole() {
        let fails = |side: Side, name: &str| {
            all().any(|(run, found)| run.side == side && found.name == name && !found.is_well())
        };
        let stale = expected.iter().filter(|(side, name)| options.has(*side) && !fails(*side, name));
        verdict.stale = stale.map(|(side, name)| format!("{name} of the {}", side.word())).collect();
        let empty = runs.iter().filter(|run| run.scenarios.is_empty());
        verdict.empty = empty.map(|run| format!("{} at {}", run.side.word(), run.label)).collect();
    }
    verdict
}

/// Names the scenarios that did not come out the same in every round.
pub(crate) fn flakes(rounds: &[Vec<Run>]) -> Vec<String> {
    let mut outcomes: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    for run in rounds.iter().flatten() {
        for scenario in &run.scenarios {
            let name = format!("{} {} at {}", run.side.word(), scenario.name, run.label);
            outcomes.entry(name).or_default().insert(scenario.is_well());
        }
    }
    outcomes.into_iter().filter(|(_, outcomes)| outcomes.len() > 1).map(|(name, _)| name).collect()
}

impl Verdict {
    /// Says it in two lines.
    pub(crate) fn summary(&self) -> String {
        let Self { passed, skipped, expected, failed, .. } = self;
        format!(
            "scenarios: {skipped} skipped by the suite, {expected} failed as expected\n\
             {passed} passed, {failed} failed\n"
        )
    }

    /// Turns what is not right into an error.
    pub(crate) fn conclude(&self) -> Result<(), String> {
        let mut faults = Vec::new();
        if self.passed == 0 && self.failed == 0 && self.expected == 0 {
            faults.push("no scenario was run".to_owned());
        }
        faults.extend(self.empty.iter().map(|run| {
            format!("the suite ran nothing for the {run}; its output is in target/conformance/logs")
        }));
        if self.failed > 0 {
            faults.push(format!("{} scenarios failed", self.failed));
        }
        faults.extend(
            self.stale
                .iter()
                .map(|name| format!("{name} stands in conformance/expected-failures.yml and does not fail")),
        );
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{Complaint, Scenario};
    use super::*;

    fn scenario(name: &str, passed: usize, failed: usize) -> Scenario {
        let mut scenario = Scenario::new(name);
        scenario.passed = vec!["id".to_owned(); passed];
        scenario.failed = (0..failed).map(|_| Complaint::new("id", "")).collect();
        scenario
    }

    fn run(side: Side, scenarios: Vec<Scenario>) -> Run {
        Run { side, label: "2025-11-25".to_owned(), scenarios }
    }

    fn judged(scenarios: Vec<Scenario>, words: &[&str]) -> Verdict {
        let expected = Expected::parse("server:\n  - a\n  - b\nclient:\n  - c\n").unwrap();
        let options = Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        judge(&expected, &[run(Side::Server, scenarios)], &options)
    }

    #[test]
    fn a_failure_counts_unless_it_is_expected_of_its_side() {
        let scenarios =
            vec![scenario("a", 1, 1), scenario("b", 0, 1), scenario("c", 1, 1), scenario("d", 2, 0)];
        let verdict = judged(scenarios, &["server"]);
        assert!(verdict.summary().ends_with("\n1 passed, 1 failed\n"));
        assert_eq!(verdict.expected, 2);
        assert_eq!(verdict.conclude(), Err("1 scenarios failed".to_owned()));
    }

    #[test]
    fn a_warning_is_no_success() {
        let mut warned = scenario("d", 2, 0);
        warned.warned.push(Complaint::new("id", ""));
        assert_eq!(judged(vec![warned], &["server"]).failed, 1);
    }

    #[test]
    fn an_entry_that_does_not_fail_is_stale() {
        let verdict = judged(vec![scenario("a", 1, 1), scenario("b", 1, 0)], &["server"]);
        assert_eq!(verdict.stale, ["b of the server"]);
        assert!(verdict.conclude().is_err());
        assert_eq!(
            judged(vec![scenario("a", 1, 1), scenario("b", 1, 0)], &["server", "a"]).conclude(),
            Ok(())
        );
    }

    #[test]
    fn a_run_without_scenarios_is_a_failure() {
        assert!(judged(Vec::new(), &["server"]).conclude().is_err());
    }

    #[test]
    fn no_check_is_no_success() {
        let verdict = judged(vec![scenario("d", 0, 0)], &["d"]);
        assert_eq!((verdict.passed, verdict.skipped), (0, 1));
        assert!(verdict.conclude().is_err());
    }

    #[test]
    fn what_comes_out_differently_is_a_flake() {
        let round = |failed| vec![run(Side::Client, vec![scenario("a", 1, failed), scenario("b", 1, 0)])];
        assert_eq!(flakes(&[round(0), round(1)]), ["client a at 2025-11-25"]);
        assert!(flakes(&[round(1), round(1)]).is_empty());
    }
}

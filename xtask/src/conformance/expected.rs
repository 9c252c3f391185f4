//! What is known to fail, in the suite's own format, and the verdict over all runs.

use std::fs;
use std::path::Path;

use super::checks::{Run, Scenario};

/// The scenarios that are known to fail, whole.
pub(crate) struct Expected(Vec<String>);

/// What came of everything.
#[derive(Default)]
pub(crate) struct Verdict {
    passed: usize,
    skipped: usize,
    expected: usize,
    failed: usize,
    warned: usize,
    /// The scenarios that are said to fail and do not.
    stale: Vec<String>,
    /// The versions of which the suite ran nothing.
    empty: Vec<&'static str>,
}

impl Expected {
    /// Reads the list; of its YAML nothing but `- NAME` below `server:` is understood.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        Ok(Self::parse(&text))
    }

    /// Expects nothing to fail.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let of_server = lines.skip_while(|line| line.trim_end() != "server:").skip(1);
        let items = of_server.take_while(|line| line.trim().is_empty() || line.starts_with(' '));
        Self(
            items
                .filter_map(|line| line.trim().strip_prefix("- "))
                .map(|name| name.trim().to_owned())
                .collect(),
        )
    }

    /// Whether the scenario is known to fail.
    pub(crate) fn has(&self, scenario: &Scenario) -> bool {
        self.0.contains(&scenario.name)
    }

    /// Judges all runs; where they are whole, entries that nothing failed by are stale.
    pub(crate) fn judge(&self, runs: &[Run], is_whole: bool) -> Verdict {
        let mut verdict = Verdict::default();
        let all = || runs.iter().flat_map(|run| &run.scenarios);
        for scenario in all() {
            let count = match scenario.failed.is_empty() {
                true if scenario.is_skipped() => &mut verdict.skipped,
                true => &mut verdict.passed,
                false if self.has(scenario) => &mut verdict.expected,
                false => &mut verdict.failed,
            };
            *count += 1;
            verdict.warned += usize::from(!scenario.warned.is_empty());
        }
        let fails =
            |name: &String| all().any(|scenario| scenario.name == *name && !scenario.failed.is_empty());
        if is_whole {
            let empty = runs.iter().filter(|run| run.scenarios.is_empty());
            verdict.empty = empty.map(|run| run.version.unwrap_or("unversioned")).collect();
            verdict.stale = self.0.iter().filter(|name| !fails(name)).cloned().collect();
        }
        verdict
    }
}

impl Verdict {
    /// Says it in two lines.
    pub(crate) fn summary(&self) -> String {
        let Self { passed, skipped, expected, failed, warned, .. } = self;
        format!(
            "scenarios: {skipped} skipped, {expected} failed as expected, {warned} with warnings\n\
             {passed} passed, {failed} failed\n"
        )
    }

    /// Turns what is not right into an error.
    pub(crate) fn conclude(&self) -> Result<(), String> {
        let mut faults = Vec::new();
        if self.passed == 0 && self.failed == 0 && self.expected == 0 {
            faults.push("no scenario was run".to_owned());
        }
        faults.extend(self.empty.iter().map(|version| {
            format!("the suite ran nothing at {version}; its output is in target/conformance/logs")
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
    use super::super::checks::Complaint;
    use super::*;

    fn scenario(name: &str, passed: usize, failed: usize) -> Scenario {
        let complaint = |_| Complaint { id: "id".to_owned(), message: String::new() };
        Scenario {
            name: name.to_owned(),
            passed,
            failed: (0..failed).map(complaint).collect(),
            ..Scenario::default()
        }
    }

    fn judged(scenarios: Vec<Scenario>) -> Verdict {
        let expected = Expected::parse("# A comment.\nserver:\n  - a # why\n\n  - b\nclient:\n  - c\n");
        expected.judge(&[Run { version: None, scenarios }], true)
    }

    #[test]
    fn a_failure_counts_unless_it_is_expected() {
        let verdict =
            judged(vec![scenario("a", 1, 1), scenario("b", 0, 1), scenario("c", 1, 1), scenario("d", 2, 0)]);
        assert!(verdict.summary().ends_with("\n1 passed, 1 failed\n"));
        assert_eq!(verdict.expected, 2);
        assert_eq!(verdict.conclude(), Err("1 scenarios failed".to_owned()));
    }

    #[test]
    fn an_entry_that_does_not_fail_is_stale() {
        let verdict = judged(vec![scenario("a", 1, 1), scenario("b", 1, 0)]);
        assert_eq!(verdict.stale, ["b"]);
        assert!(verdict.conclude().is_err());
    }

    #[test]
    fn a_version_without_scenarios_is_a_failure() {
        let run = |version, scenarios| Run { version, scenarios };
        let runs = [run(None, vec![scenario("d", 1, 0)]), run(Some("2025-11-25"), Vec::new())];
        assert_eq!(Expected::none().judge(&runs, false).conclude(), Ok(()));
        assert!(Expected::none().judge(&runs, true).conclude().is_err());
    }

    #[test]
    fn no_check_is_no_success() {
        let verdict = judged(vec![scenario("d", 0, 0)]);
        assert_eq!((verdict.passed, verdict.skipped), (0, 1));
        assert!(verdict.conclude().is_err());
    }
}

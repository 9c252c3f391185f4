//! What must at least be seen of each scenario: a client that does nothing fails no check of some of them.
//!
//! A line of `conformance/minimum-checks.txt` is `SIDE SCENARIO: ID…`. An id stands for a check that has to pass; `ID*N`
//! has to pass N times, `ID@REVISION` is wanted from that revision on, and `~ID` may be skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::checks::{Complaint, Scenario, Side};

/// The whole table.
pub(crate) struct Minimum(BTreeMap<(String, String), Vec<Wanted>>);

/// One id of a line.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    id: String,
    times: usize,
    since: Option<String>,
    may_be_skipped: bool,
}

impl Minimum {
    /// Reads the table.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        Self::parse(&text).map_err(|line| format!("{}: not understood: {line}", path.display()))
    }

    /// Reads the lines; the error is the one that makes no sense.
    fn parse(text: &str) -> Result<Self, String> {
        let mut table = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (head, ids) = line.split_once(':').ok_or(line)?;
            let (side, name) = head.split_once(' ').ok_or(line)?;
            let wanted = ids.split_whitespace().map(wanted).collect::<Option<Vec<_>>>().ok_or(line)?;
            let is_new = table.insert((side.to_owned(), name.to_owned()), wanted).is_none();
            if !is_new || !matches!(side, "server" | "client") {
                return Err(line.to_owned());
            }
        }
        Ok(Self(table))
    }

    /// Holds a scenario against its line; what falls short becomes a failure of it.
    pub(crate) fn hold(&self, side: Side, revision: &str, scenario: &mut Scenario) {
        const ID: &str = "minimum";
        let Some(line) = self.0.get(&(side.word().to_owned(), scenario.name.clone())) else {
            let message = "it has no line in conformance/minimum-checks.txt";
            scenario.failed.push(Complaint::new(ID, message));
            return;
        };
        let mut faults = Vec::new();
        for wanted in line.iter().filter(|wanted| !wanted.may_be_skipped && wanted.is_at(revision)) {
            let seen = scenario.passed.iter().filter(|id| **id == wanted.id).count();
            if seen < wanted.times {
                let message = format!("{} passed {seen} times of {}", wanted.id, wanted.times);
                faults.push(Complaint::new(ID, message));
            }
        }
        for skipped in &scenario.skipped {
            let is_fine = line.iter().any(|wanted| wanted.id == skipped.id && wanted.may_be_skipped);
            let is_wanted_later =
                line.iter().any(|wanted| wanted.id == skipped.id && !wanted.is_at(revision));
            if !is_fine && !is_wanted_later {
                faults.push(Complaint::new(&skipped.id, format!("skipped: {}", skipped.message)));
            }
        }
        scenario.failed.extend(faults);
    }
}

impl Wanted {
    /// Whether it is wanted at a revision; their names sort by their age.
    fn is_at(&self, revision: &str) -> bool {
        self.since.as_deref().is_none_or(|since| since <= revision)
    }
}

fn wanted(word: &str) -> Option<Wanted> {
    let (may_be_skipped, word) = match word.strip_prefix('~') {
        Some(word) => (true, word),
        None => (false, word),
    };
    let (word, since) = match word.split_once('@') {
        Some((word, since)) => (word, Some(since.to_owned())),
        None => (word, None),
    };
    let (id, times) = match word.split_once('*') {
        Some((id, times)) => (id, times.parse().ok()?),
        None => (word, 1),
    };
    (!id.is_empty()).then(|| Wanted { id: id.to_owned(), times, since, may_be_skipped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(line: &str, revision: &str, passed: &[&str], skipped: &[&str]) -> Vec<String> {
        let mut scenario = Scenario::new("s");
        scenario.passed = passed.iter().map(ToString::to_string).collect();
        scenario.skipped = skipped.iter().map(|id| Complaint::new(*id, "why")).collect();
        Minimum::parse(line).unwrap().hold(Side::Client, revision, &mut scenario);
        scenario.failed.into_iter().map(|complaint| complaint.message).collect()
    }

    #[test]
    fn a_check_that_was_not_seen_is_a_failure() {
        assert_eq!(held("client s: a b*2", "2025-11-25", &["a", "b"], &[]), ["b passed 1 times of 2"]);
        assert!(held("client s: a b*2", "2025-11-25", &["a", "b", "b"], &[]).is_empty());
    }

    #[test]
    fn a_check_is_wanted_from_its_revision_on() {
        let line = "client s: a@2026-07-28";
        assert!(held(line, "2025-11-25", &[], &["a"]).is_empty());
        assert_eq!(held(line, "2026-07-28", &[], &[]), ["a passed 0 times of 1"]);
    }

    #[test]
    fn a_skipped_check_is_a_failure_unless_it_may_be_skipped() {
        assert_eq!(held("client s: a", "2025-11-25", &["a"], &["b"]), ["skipped: why"]);
        assert!(held("client s: a ~b", "2025-11-25", &["a"], &["b"]).is_empty());
    }

    #[test]
    fn a_scenario_without_a_line_is_a_failure() {
        assert_eq!(held("server s: a", "2025-11-25", &["a"], &[]).len(), 1);
    }

    #[test]
    fn the_table_lets_nothing_pass_that_shows_nothing() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
        let Minimum(table) = Minimum::read(&folder.join("minimum-checks.txt")).unwrap();
        let of_side = |side: &str| table.keys().filter(|(of, _)| of == side).count();
        assert_eq!((of_side("server"), of_side("client")), (65, 48));
        let hollow = |wanted: &Vec<Wanted>| wanted.iter().all(|wanted| wanted.may_be_skipped);
        let hollow: Vec<&str> =
            table.iter().filter(|(_, wanted)| hollow(wanted)).map(|((_, name), _)| name.as_str()).collect();
        // The suite itself always skips this one.
        assert_eq!(hollow, ["tasks-status-notifications"]);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_an_error() {
        for line in ["s: a", "peer s: a", "client s a", "client s: a*b", "client s: @2025-11-25"] {
            assert!(Minimum::parse(line).is_err(), "{line}");
        }
    }
}

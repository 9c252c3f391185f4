//! What the suite leaves: a folder for each scenario with a list of checks.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Who is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Server,
    Client,
}

impl Side {
    /// Returns the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// Returns the flag by which its scenarios are listed.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Server => "--server",
            Self::Client => "--client",
        }
    }
}

/// What came of the scenarios of one side at one version.
pub(crate) struct Run {
    pub(crate) side: Side,
    /// How the run is called, by the revision that it is of.
    pub(crate) label: String,
    pub(crate) scenarios: Vec<Scenario>,
}

/// What came of one scenario.
#[derive(Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// The checks that passed, by their ids, which may occur more than once.
    pub(crate) passed: Vec<String>,
    pub(crate) skipped: Vec<Complaint>,
    pub(crate) failed: Vec<Complaint>,
    pub(crate) warned: Vec<Complaint>,
}

/// A check that did not pass.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) id: String,
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn new(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self { id: id.into(), message: message.into() }
    }
}

impl Scenario {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Whether nothing speaks against it: a warning does.
    pub(crate) fn is_well(&self) -> bool {
        self.failed.is_empty() && self.warned.is_empty()
    }

    /// Whether nothing was checked at all.
    pub(crate) fn is_skipped(&self) -> bool {
        self.passed.is_empty() && self.is_well()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    #[serde(default)]
    error_message: Option<String>,
}

/// Reads the results of a server's run, by the names of the scenarios.
pub(crate) fn read_all(results: &Path) -> Result<Vec<Scenario>, String> {
    let Ok(folders) = fs::read_dir(results) else { return Ok(Vec::new()) };
    let mut scenarios = Vec::new();
    for folder in folders.flatten() {
        let name = name_of(&folder.file_name().to_string_lossy())
            .ok_or_else(|| format!("{} is named after no scenario", folder.path().display()))?;
        scenarios.push(read(&folder.path().join("checks.json"), name)?);
    }
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(scenarios)
}

/// Reads the results of the one scenario that was run into a folder.
pub(crate) fn read_one(results: &Path, name: &str) -> Result<Scenario, String> {
    match find(results) {
        Some(path) => read(&path, name.to_owned()),
        None => Ok(Scenario::new(name)),
    }
}

/// Finds the checks; a name with a slash has made a folder of its first half.
fn find(folder: &Path) -> Option<PathBuf> {
    let entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let here = entries.iter().find(|path| path.ends_with("checks.json")).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| find(path)))
}

fn read(path: &Path, name: String) -> Result<Scenario, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
    scenario(name, &text).map_err(|error| format!("{}: {error}", path.display()))
}

fn scenario(name: String, text: &str) -> Result<Scenario, serde_json::Error> {
    let mut scenario = Scenario::new(name);
    for Check { id, status, error_message } in serde_json::from_str::<Vec<Check>>(text)? {
        let message = error_message.unwrap_or_default();
        match status.as_str() {
            "SUCCESS" => scenario.passed.push(id),
            "FAILURE" => scenario.failed.push(Complaint { id, message }),
            "WARNING" => scenario.warned.push(Complaint { id, message }),
            "SKIPPED" => scenario.skipped.push(Complaint { id, message }),
            "INFO" => {}
            other => scenario.failed.push(Complaint::new(id, format!("its status {other:?} is unknown"))),
        }
    }
    Ok(scenario)
}

/// Takes the name out of `server-NAME-2026-01-01T00-00-00-000Z`.
fn name_of(folder: &str) -> Option<String> {
    let name = folder.strip_prefix("server-")?;
    let time = name.rfind('T')?;
    let end = time.checked_sub("-2026-01-01".len())?;
    name.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_its_scenario() {
        let name = |folder| name_of(folder);
        assert_eq!(name("server-tools-list-2026-10-01T10-11-12-123Z").as_deref(), Some("tools-list"));
        assert_eq!(name("tools-list-2026-10-01T10-11-12-123Z"), None);
        assert_eq!(name("server-T"), None);
    }

    #[test]
    fn checks_are_counted_by_their_status() {
        let text = r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE","errorMessage":"no"},
            {"id":"c","status":"WARNING"},{"id":"d","status":"SKIPPED"},{"id":"e","status":"INFO"}]"#;
        let scenario = scenario("x".to_owned(), text).unwrap();
        assert_eq!((scenario.passed.len(), scenario.skipped.len(), scenario.warned.len()), (1, 1, 1));
        assert_eq!((scenario.failed[0].id.as_str(), scenario.failed[0].message.as_str()), ("b", "no"));
    }

    #[test]
    fn a_status_that_is_unknown_is_a_failure() {
        let scenario = scenario("x".to_owned(), r#"[{"id":"a","status":"MAYBE"}]"#).unwrap();
        assert!(!scenario.is_well());
    }
}

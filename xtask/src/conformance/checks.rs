//! What the suite leaves: a folder for each scenario with a list of checks.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What came of one scenario.
#[derive(Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: Vec<Complaint>,
    pub(crate) warned: Vec<Complaint>,
}

/// A check that did not pass.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) id: String,
    pub(crate) message: String,
}

impl Scenario {
    /// Whether nothing was checked at all.
    pub(crate) fn is_skipped(&self) -> bool {
        self.passed == 0 && self.failed.is_empty()
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

/// Reads the results of a run, by the names of the scenarios.
pub(crate) fn read(results: &Path) -> Result<Vec<Scenario>, String> {
    let Ok(folders) = fs::read_dir(results) else { return Ok(Vec::new()) };
    let mut scenarios = Vec::new();
    for folder in folders.flatten() {
        let path = folder.path().join("checks.json");
        let text =
            fs::read_to_string(&path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        let name = name_of(&folder.file_name().to_string_lossy())
            .ok_or_else(|| format!("{} is named after no scenario", folder.path().display()))?;
        scenarios.push(scenario(name, &text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(scenarios)
}

fn scenario(name: String, text: &str) -> Result<Scenario, serde_json::Error> {
    let mut scenario = Scenario { name, ..Scenario::default() };
    for check in serde_json::from_str::<Vec<Check>>(text)? {
        let complaint = Complaint { id: check.id, message: check.error_message.unwrap_or_default() };
        match check.status.as_str() {
            "SUCCESS" => scenario.passed += 1,
            "FAILURE" => scenario.failed.push(complaint),
            "WARNING" => scenario.warned.push(complaint),
            "SKIPPED" => scenario.skipped += 1,
            _ => {}
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

/// What came of the scenarios of one version.
pub(crate) struct Run {
    pub(crate) version: Option<&'static str>,
    pub(crate) scenarios: Vec<Scenario>,
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
        assert_eq!((scenario.passed, scenario.skipped, scenario.warned.len()), (1, 1, 1));
        assert_eq!((scenario.failed[0].id.as_str(), scenario.failed[0].message.as_str()), ("b", "no"));
    }
}

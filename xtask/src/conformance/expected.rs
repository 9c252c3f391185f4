//! What is known to fail, in the suite's own format.

use std::fs;
use std::path::Path;

use super::checks::{Scenario, Side};

/// The scenarios that are known to fail, whole, with the side that they are of.
pub(crate) struct Expected(Vec<(Side, String)>);

impl Expected {
    /// Reads the list; of its YAML nothing but `- NAME` below `server:` and `client:` is understood.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        Self::parse(&text).map_err(|line| format!("{}: not understood: {line}", path.display()))
    }

    /// Expects nothing to fail.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads the lines; the error is the one that makes no sense.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut side = None;
        let mut entries = Vec::new();
        for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
            match (line, line.strip_prefix("- "), side) {
                ("", ..) => {}
                ("server:" | "server: []", ..) => side = Some(Side::Server),
                ("client:" | "client: []", ..) => side = Some(Side::Client),
                (_, Some(name), Some(side)) => entries.push((side, name.trim().to_owned())),
                _ => return Err(line.to_owned()),
            }
        }
        Ok(Self(entries))
    }

    /// Whether the scenario is known to fail.
    pub(crate) fn has(&self, side: Side, scenario: &Scenario) -> bool {
        self.iter().any(|(of, name)| of == side && name == scenario.name)
    }

    /// Walks over the entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Side, &str)> {
        self.0.iter().map(|(side, name)| (*side, name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_belong_to_their_side() {
        let expected = Expected::parse("# A comment.\nserver:\n  - a # why\n\nclient:\n  - b\n").unwrap();
        let has = |side, name| expected.has(side, &Scenario::new(name));
        assert!(has(Side::Server, "a") && has(Side::Client, "b"));
        assert!(!has(Side::Client, "a") && !has(Side::Server, "b"));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_an_error() {
        assert!(Expected::parse("- a\n").is_err());
        // The suite itself takes no list that is nothing.
        assert!(Expected::parse("server: []\nclient:\n  - b\n").is_ok());
        assert!(Expected::parse("servers:\n  - a\n").is_err());
    }
}

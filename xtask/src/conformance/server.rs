//! The server's side: one server, and every scenario of every revision against it.

use super::checks::{self, Run, Scenario, Side};
use super::house::{House, Known, VERSIONS};
use super::minimum::Minimum;
use super::options::Options;
use super::requirements;
use crate::process::Server;

/// The revision at which the suite runs a server's scenarios of extensions.
const OF_EXTENSIONS: &str = "2026-07-28";

/// Runs all that is chosen.
pub(crate) fn run(house: &House, options: &Options, minimum: &Minimum) -> Result<Vec<Run>, String> {
    let known = house.scenarios(Side::Server)?;
    let program = house.server();
    let words = |port: u16| vec![program.clone(), "--port".to_owned(), port.to_string()];
    let server = Server::start(words, &house.log("server")?)?;
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    let mut runs = Vec::new();
    for version in VERSIONS {
        eprintln!("conformance: server at {version}");
        let here: Vec<&Known> = known.iter().filter(|known| known.is_at(version)).collect();
        let scenarios = at(house, options, &url, version, &here)?;
        runs.push(judged(version, version, scenarios, minimum));
    }
    eprintln!("conformance: server, extensions");
    let of_extensions = known.iter().filter(|known| known.is_of_extension() && options.wants(&known.name));
    let mut scenarios = Vec::new();
    for known in of_extensions {
        scenarios.push(alone(house, &url, &known.name, &[], "extensions")?);
    }
    runs.push(judged("extensions", OF_EXTENSIONS, scenarios, minimum));
    if options.is_whole() {
        runs.push(requirements::run(house, Side::Server, &["--url".to_owned(), url])?);
    }
    Ok(runs)
}

fn judged(label: &str, revision: &str, mut scenarios: Vec<Scenario>, minimum: &Minimum) -> Run {
    for scenario in &mut scenarios {
        minimum.hold(Side::Server, revision, scenario);
    }
    Run { side: Side::Server, label: label.to_owned(), scenarios }
}

/// Runs the scenarios of a revision: in one go, unless only some are wanted.
fn at(
    house: &House,
    options: &Options,
    url: &str,
    version: &str,
    known: &[&Known],
) -> Result<Vec<Scenario>, String> {
    let words = ["--spec-version", version].map(str::to_owned);
    if !options.is_whole() {
        let wanted = known.iter().filter(|known| options.wants(&known.name));
        return wanted.map(|known| alone(house, url, &known.name, &words, version)).collect();
    }
    let results = house.fresh(&format!("server/{version}"))?;
    let mut all = ["server", "--url", url, "--suite", "all", "-o"].map(str::to_owned).to_vec();
    all.push(results.to_string_lossy().into_owned());
    all.extend(words);
    house.suite(&all, &format!("server-{version}"))?;
    let mut scenarios = checks::read_all(&results)?;
    for known in known {
        // What left no result did not run, and that is no success.
        if !scenarios.iter().any(|scenario| scenario.name == known.name) {
            scenarios.push(Scenario::new(&known.name));
        }
    }
    Ok(scenarios)
}

/// Runs one scenario.
fn alone(house: &House, url: &str, name: &str, more: &[String], label: &str) -> Result<Scenario, String> {
    let results = house.fresh(&format!("server/{label}/{name}"))?;
    let mut words = ["server", "--url", url, "--scenario", name, "-o"].map(str::to_owned).to_vec();
    words.push(results.to_string_lossy().into_owned());
    words.extend_from_slice(more);
    house.suite(&words, &format!("server-{label}-{name}"))?;
    checks::read_one(&results, name)
}

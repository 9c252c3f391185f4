//! What has to be there before a row can run: npm packages, virtual environments, the Rust peers, Diglot itself.
//!
//! Each step is skipped while its stamp, a copy of the lock file it was made from, says that nothing changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::{run_well, tail};
use super::program::{House, Program};

/// The oldest node that the npm packages run on.
const NODE_MAJOR: u32 = 20;

/// Fails where the pinned closures would not be whole.
const PYTHON_CHECK: &str =
    "import sys; sys.exit(None if sys.version_info >= (3, 11) else 'Python 3.11 or newer is needed')";

/// Names a binary to test instead of building one.
const BINARY_VARIABLE: &str = "DIGLOT_BIN";

/// Installs what the given programs need.
pub(crate) fn programs(house: &House, selected: &[Program]) -> Result<(), String> {
    fs::create_dir_all(house.log("")).map_err(|error| format!("creating the log folder: {error}"))?;
    let any = |wanted: fn(&Program) -> bool| selected.iter().any(wanted);
    if any(|program| matches!(program, Program::Node(_) | Program::Everything)) {
        npm(house, &house.node())?;
    }
    if any(|program| matches!(program, Program::Inspector)) {
        npm(house, &house.inspector())?;
    }
    for venv in selected.iter().filter_map(|program| program.venv()).collect::<BTreeSet<_>>() {
        python(house, venv)?;
    }
    if any(|program| matches!(program, Program::Rust(_))) {
        rust(house)?;
    }
    Ok(())
}

/// Builds the `diglot` command, unless `DIGLOT_BIN` names one, and gives its path.
pub(crate) fn diglot(house: &House) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os(BINARY_VARIABLE) {
        return existing(PathBuf::from(given));
    }
    let mut build = cargo(house);
    build.args(["build", "--release", "--package", "diglot-cli"]);
    say("cargo build --release -p diglot-cli");
    run_well(&mut build, &house.log("diglot"))?;
    let name = format!("diglot{}", std::env::consts::EXE_SUFFIX);
    existing(house.target.join("release").join(name))
}

fn existing(binary: PathBuf) -> Result<PathBuf, String> {
    if binary.is_file() { Ok(binary) } else { Err(format!("there is no diglot at {}", binary.display())) }
}

fn npm(house: &House, folder: &Path) -> Result<(), String> {
    let version = run_well(Command::new("node").arg("--version"), &house.log("node-version"))?;
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE_MAJOR) {
        return Err(format!(
            "node {NODE_MAJOR} or newer is needed; `node --version` says {}",
            tail(&version)
        ));
    }
    let stamp = folder.join("node_modules/.diglot-lock");
    unless_stamped(&folder.join("package-lock.json"), &stamp, || {
        let mut install = Command::new("npm");
        install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
        say(&format!("npm ci in {}", folder.strip_prefix(&house.root).unwrap_or(folder).display()));
        run_well(&mut install, &house.log("npm"))
    })
}

fn python(house: &House, name: &str) -> Result<(), String> {
    let requirements = house.root.join(format!("interop/python/requirements-{name}.txt"));
    let venv = house.venv(name);
    unless_stamped(&requirements, &venv.join(".diglot-lock"), || {
        say(&format!("python3 -m venv and pip install for interop/python/requirements-{name}.txt"));
        let mut version = Command::new("python3");
        version.args(["-c", PYTHON_CHECK]);
        run_well(&mut version, &house.log("python-version"))?;
        let mut create = Command::new("python3");
        create.args(["-m", "venv", "--clear"]).arg(&venv);
        run_well(&mut create, &house.log("venv"))?;
        let mut install = Command::new(venv.join("bin/python"));
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--requirement",
        ]);
        run_well(install.arg(&requirements), &house.log("pip"))
    })
}

fn rust(house: &House) -> Result<(), String> {
    let mut build = cargo(house);
    build.args(["build", "--release", "--locked"]);
    build.arg("--manifest-path").arg(house.root.join("interop/rust/Cargo.toml"));
    build.arg("--target-dir").arg(house.rust());
    say("cargo build --release --locked in interop/rust");
    run_well(&mut build, &house.log("cargo")).map(drop)
}

fn cargo(house: &House) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&house.root);
    command
}

/// Runs a step unless its stamp equals the lock file; writes the stamp when the step succeeded.
fn unless_stamped<T>(
    lock: &Path,
    stamp: &Path,
    step: impl FnOnce() -> Result<T, String>,
) -> Result<(), String> {
    let wanted = fs::read(lock).map_err(|error| format!("reading {}: {error}", lock.display()))?;
    if fs::read(stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    step()?;
    fs::write(stamp, wanted).map_err(|error| format!("writing {}: {error}", stamp.display()))
}

fn say(step: &str) {
    eprintln!("interop: {step}");
}

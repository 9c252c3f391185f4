//! What has to be there before a row can run: npm packages, virtual environments, the Rust peers, Diglot itself.
//!
//! Each step is skipped while its stamp, a copy of the lock file it was made from, says that nothing changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::program::{House, Program};
use crate::npm::unless_stamped;
use crate::process::run_well;

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

/// Diglot's own programs.
pub(crate) struct Clients {
    /// The `diglot` command.
    pub(crate) diglot: PathBuf,
    /// The visitor of `interop/visitor`.
    pub(crate) visitor: PathBuf,
}

/// Builds Diglot's own programs, the `diglot` command unless `DIGLOT_BIN` names one, and gives their paths.
pub(crate) fn clients(house: &House) -> Result<Clients, String> {
    let given = std::env::var_os(BINARY_VARIABLE).map(PathBuf::from);
    let mut build = cargo(house);
    // Both at once, so that what they depend on is built once and alike.
    build.args(["build", "--release", "--package", "diglot-cli", "--package", "interop-visitor"]);
    say("cargo build --release -p diglot-cli -p interop-visitor");
    run_well(&mut build, &house.log("diglot"))?;
    let built = |name| house.target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let diglot = existing(given.unwrap_or_else(|| built("diglot")))?;
    Ok(Clients { diglot, visitor: existing(built("interop-visitor"))? })
}

fn existing(binary: PathBuf) -> Result<PathBuf, String> {
    if binary.is_file() { Ok(binary) } else { Err(format!("there is no program at {}", binary.display())) }
}

fn npm(house: &House, folder: &Path) -> Result<(), String> {
    crate::npm::install(folder, NODE_MAJOR, &house.log("npm"))
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

fn say(step: &str) {
    eprintln!("interop: {step}");
}

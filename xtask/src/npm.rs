//! Packages from npm: installed as their lock file says, and not again before it changes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{run_well, tail};

/// Installs the packages of a folder; `log` is where the output goes.
pub(crate) fn install(folder: &Path, node_major: u32, log: &Path) -> Result<(), String> {
    let version = run_well(Command::new("node").arg("--version"), log)?;
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < node_major) {
        let found = tail(&version);
        return Err(format!("node {node_major} or newer is needed; `node --version` says {found}"));
    }
    let stamp = folder.join("node_modules/.diglot-lock");
    unless_stamped(&folder.join("package-lock.json"), &stamp, || {
        let mut install = Command::new("npm");
        install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
        eprintln!("npm ci in {}", folder.display());
        run_well(&mut install, log)
    })
}

/// Runs a step unless its stamp equals the lock file; writes the stamp when the step succeeded.
pub(crate) fn unless_stamped<T>(
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

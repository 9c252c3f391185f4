//! `cargo xtask schema`: the types against the official schemas, examples and recorded traffic.
//!
//! The schemas are not part of the project. They are read from `DIGLOT_SCHEMA_DIR`, or from `../shared/schema` beside
//! the checkout: one `REVISION.json` each, and the folder `examples-2026-07-28`.

mod claims;
mod document;
mod equal;
mod examples;
mod failure;
mod row;
mod samples;
mod traffic;

use std::path::{Path, PathBuf};

use document::Document;
use failure::Failure;

/// Checks everything there is; the arguments are files of recorded traffic.
pub fn run(files: &[String]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let Some(folder) = folder(root) else {
        println!("schema: nothing checked; set DIGLOT_SCHEMA_DIR to a folder of the official schemas");
        return Ok(());
    };
    let documents = Document::all(&folder)?;
    let rows = row::registry();
    let mut failures = Vec::new();
    let mut checked = |what: &str, count: usize, found: Vec<Failure>| {
        println!("schema: {count} {what}, {} failures", found.len());
        failures.extend(found);
    };
    let (count, found) = claims::check(&documents, &rows);
    checked("definitions", count, found);
    let (count, found) = examples::check(&folder, &rows)?;
    checked("examples", count, found);
    let (count, found) = samples::check(&documents);
    checked("samples", count, found);
    for file in recordings(root, files)? {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let (count, found) = traffic::check(&documents, &name, &text);
        checked(&format!("messages in {name}"), count, found);
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.iter().map(|failure| format!("{failure}\n")).collect::<String>()),
    }
}

fn folder(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("DIGLOT_SCHEMA_DIR").map(PathBuf::from);
    let beside = root.parent().map(|parent| parent.join("shared/schema"));
    named.or(beside).filter(|folder| folder.is_dir())
}

/// Returns the named files, or those under `target/wire`.
fn recordings(root: &Path, files: &[String]) -> Result<Vec<PathBuf>, String> {
    if !files.is_empty() {
        return Ok(files.iter().map(PathBuf::from).collect());
    }
    let Ok(entries) = std::fs::read_dir(root.join("target/wire")) else {
        return Ok(Vec::new());
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths)
}

//! Records what this crate emits in its tests, so that it can be held against the official schemas afterwards.
//!
//! The lines land in `wire/` of the target folder, one file a room; `cargo xtask schema` reads them.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

static FILE: LazyLock<Mutex<Option<File>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().map(|target| target.join("wire"));
    let file = folder.and_then(|folder| {
        std::fs::create_dir_all(&folder).ok()?;
        File::create(folder.join("diglot.jsonl")).ok()
    });
    Mutex::new(file)
});

/// Records a message of one side at a revision; `method` is that of the request, for a response.
pub(crate) fn record(revision: &str, from: &str, method: Option<&str>, message: &Value) {
    // Methods of the tests' own are in no schema.
    if message["method"].as_str().is_some_and(|method| method.starts_with("x/")) {
        return;
    }
    let line = json!({ "revision": revision, "from": from, "method": method, "message": message });
    if let Some(file) = &mut *FILE.lock().unwrap_or_else(PoisonError::into_inner) {
        writeln!(file, "{line}").unwrap();
    }
}

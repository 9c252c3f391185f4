//! `cargo xtask tidy`: checks of the house rules that neither rustc nor clippy makes.
//!
//! A rule is a pure function in a file of its own; this one reads the tree, runs them all and prints what they found.

mod closed;
mod docs;
mod gates;
mod header;
mod imports;
mod index;
mod layers;
mod leftovers;
mod lexer;
mod lints;
mod modules;
mod names;
mod panics;
mod purity;
mod source;
mod testing;
mod tokens;
mod words;

use std::path::Path;
use std::process::Command;

use source::{Problem, Source};

/// The folders whose Rust is checked.
const FOLDERS: &[&str] = &["crates/", "xtask/", "conformance/"];

/// The rules that look at one Rust file, one row each.
#[rustfmt::skip]
const RUST: &[fn(&Source) -> Vec<Problem>] = &[
    header::check,          // the file says what it is, and is not too long
    purity::check,          // the protocol core does no I/O
    closed::check,          // public enums and open structs can grow
    gates::check,           // a feature adds a module
    panics::check,          // no unwrap, and expect says why
    docs::check,            // doc comments are sentences
    lints::check,           // lints are expected with a reason, never allowed
    names::check,           // no names that say nothing
    leftovers::check,       // nothing unfinished
    testing::check,         // tests do not sleep
    words::tickets,         // comments explain themselves
];

/// The rules that look at any text file, by path and text.
const TEXT: &[fn(&str, &str) -> Vec<Problem>] = &[words::machine_paths, words::empty, purity::dependencies];

/// Checks the tree that the working directory is in.
pub fn run() -> Result<(), String> {
    let root = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    let root = Path::new(root.trim_end());
    let listing = git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    let mut files: Vec<(String, String)> = Vec::new();
    for path in listing.split_terminator('\0') {
        let Ok(text) = std::fs::read_to_string(root.join(path)) else {
            continue; // deleted and not yet committed, or not text
        };
        files.push((path.to_owned(), text));
    }
    files.sort();
    files.dedup();
    let problems = check(&files);
    for problem in &problems {
        println!("{problem}");
    }
    let summary = format!("tidy: {} files, {} problems", files.len(), problems.len());
    if problems.is_empty() {
        println!("{summary}");
        return Ok(());
    }
    Err(summary)
}

/// Runs every rule over the files, given as path and text.
fn check(files: &[(String, String)]) -> Vec<Problem> {
    let is_rust = |path: &str| path.ends_with(".rs") && FOLDERS.iter().any(|folder| path.starts_with(folder));
    let sources: Vec<Source> =
        files.iter().filter(|(path, _)| is_rust(path)).map(|(path, text)| Source::new(path, text)).collect();
    let mut problems = Vec::new();
    for rule in TEXT {
        problems.extend(files.iter().flat_map(|(path, text)| rule(path, text)));
    }
    for rule in RUST {
        problems.extend(sources.iter().flat_map(rule));
    }
    problems.extend(imports::check(&sources));
    problems.extend(index::check(&sources, files));
    problems.extend(testing::binaries(files.iter().map(|(path, _)| path.as_str())));
    problems.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
    problems
}

/// Runs git; a clone that belongs to another user is as good as one's own.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("git does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "git {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim_end()
        ));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("git {}: {error}", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_come_in_the_order_of_the_tree() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let files = [
            file("crates/x/src/b.rs", "fn b() { todo!() }\n"),
            file("crates/x/src/a.rs", "//! A.\n\nfn a() { a.unwrap() }\n"),
            file("crates/x/tests/a.rs", "//! A test.\n"),
        ];
        let found: Vec<_> = check(&files)
            .iter()
            .map(|found| format!("{}:{} {}", found.path, found.line, found.rule))
            .collect();
        assert_eq!(
            found,
            [
                "crates/x/src/a.rs:3 unwrap",
                "crates/x/src/b.rs:1 header",
                "crates/x/src/b.rs:1 leftover",
                "crates/x/tests/a.rs:1 one-test-binary"
            ]
        );
    }

    #[test]
    fn rust_outside_the_folders_is_text() {
        let files = [("fuzz/a.rs".to_owned(), "fn a() { a.unwrap() }\n".to_owned())];
        assert_eq!(check(&files), []);
    }
}

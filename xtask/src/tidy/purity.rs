//! The protocol core has no I/O, no clock and no randomness.

use super::source::{Problem, Source};
use super::tokens;

/// The core.
const CORE: &str = "crates/diglot-proto/";

/// What the core does not name, by path prefix.
#[rustfmt::skip]
const FORBIDDEN: &[&str] = &[
    "std::env", "std::fs", "std::net", "std::process", "std::thread",
    "std::time::Instant", "std::time::SystemTime",
    "tokio", "rand", "getrandom",
];

/// What the core may depend on.
const DEPENDENCIES: &[&str] = &["memchr", "serde", "serde_json"];

/// Checks the paths that the core names, its tests aside.
pub fn check(source: &Source) -> Vec<Problem> {
    if !source.path.starts_with(CORE) {
        return Vec::new();
    }
    let tokens = source.tokens();
    let mut problems = Vec::new();
    for path in tokens::paths(&tokens).iter().filter(|path| !source.is_test(path.at)) {
        let joined = path.segments.join("::");
        let under = |prefix: &&&str| joined == **prefix || joined.starts_with(&format!("{prefix}::"));
        if let Some(forbidden) = FORBIDDEN.iter().find(under) {
            let what = format!(
                "`{joined}` in the core, which does no I/O; take what `{forbidden}` gives as an argument"
            );
            problems.push(source.problem(path.at, "purity", what));
        }
    }
    problems
}

/// Checks the dependencies in the core's manifest.
pub fn dependencies(path: &str, text: &str) -> Vec<Problem> {
    if path != format!("{CORE}Cargo.toml") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut section = "";
    for (index, line) in text.lines().enumerate() {
        let heading = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        section = heading.unwrap_or(section);
        let name = match (heading, section.rsplit_once("dependencies.")) {
            (Some(_), Some((before, name))) if is_runtime(before) => name,
            (None, None) if section.ends_with("dependencies") && is_runtime(section) => {
                line.split(['=', '.', '#']).next().unwrap_or_default().trim()
            }
            _ => continue,
        };
        if !name.is_empty() && !DEPENDENCIES.contains(&name) {
            let what = format!(
                "the core depends on `{name}`; do without it, or add it to the table in xtask/src/tidy/purity.rs"
            );
            problems.push(Problem { path: path.to_owned(), line: index + 1, rule: "core-dependency", what });
        }
    }
    problems
}

fn is_runtime(section: &str) -> bool {
    !section.contains("dev-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Source::new(path, text)).len()
    }

    #[test]
    fn the_core_names_no_io() {
        let path = "crates/diglot-proto/src/a.rs";
        for text in [
            "use std::fs;",
            "use std::{fmt, net::{IpAddr}};",
            "std::time::Instant::now()",
            "use tokio::spawn;",
        ] {
            assert_eq!(found(path, text), 1, "{text}");
        }
        for text in [
            "use std::time::Duration;",
            "use core::net::IpAddr;",
            "// std::fs",
            "\"std::fs\"",
            "rand_like::a()",
        ] {
            assert_eq!(found(path, text), 0, "{text}");
        }
    }

    #[test]
    fn tests_and_other_crates_may() {
        assert_eq!(found("crates/diglot-proto/src/a.rs", "#[cfg(test)]\nmod tests { use std::fs; }"), 0);
        assert_eq!(found("crates/diglot/src/a.rs", "use std::fs;"), 0);
    }

    #[test]
    fn the_core_depends_on_what_the_table_lists() {
        let names = |text: &str| dependencies("crates/diglot-proto/Cargo.toml", text).len();
        assert_eq!(
            names(
                "[dependencies]\nserde.workspace = true\nmemchr = \"2\"\n\n[dev-dependencies]\nproptest = \"1\"\n"
            ),
            0
        );
        assert_eq!(names("[dependencies]\ntokio = \"1\"\n"), 1);
        assert_eq!(names("[dependencies.tokio]\nversion = \"1\"\n"), 1);
        assert_eq!(names("[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n"), 1);
        assert_eq!(names("[package]\nname = \"x\"\n[dev-dependencies.tokio]\nversion = \"1\"\n"), 0);
    }
}

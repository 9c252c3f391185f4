//! Tests do not sleep, and a crate has one binary of integration tests.

use super::source::{Problem, Source};

/// Checks that no test sleeps on a real clock.
pub fn check(source: &Source) -> Vec<Problem> {
    let sleeps = |at: &usize| source.is_test(*at) && !source.line_text(*at).contains("// paused clock");
    let what = "a test sleeps; pass the time in, or pause the clock and say so at the end of the line (`// paused clock`)";
    source
        .find(&["sleep", "("])
        .into_iter()
        .filter(sleeps)
        .map(|at| source.problem(at, "sleep", what))
        .collect()
}

/// Checks that integration tests live in `tests/it/`.
pub fn binaries<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<Problem> {
    paths
        .filter(|path| is_second_binary(path))
        .map(|path| Problem {
            path: path.to_owned(),
            line: 1,
            rule: "one-test-binary",
            what: "a second test binary to link; make it a module of `tests/it/main.rs`".to_owned(),
        })
        .collect()
}

fn is_second_binary(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["crates", _, "tests", file] | ["xtask" | "conformance", "tests", file] => file.ends_with(".rs"),
        ["crates", _, "tests", folder, "main.rs"] => *folder != "it",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeping_test_is_found() {
        let found = |path: &str, text: &str| check(&Source::new(path, text)).len();
        assert_eq!(found("crates/diglot/tests/it/a.rs", "tokio::time::sleep(second).await;"), 1);
        assert_eq!(
            found("crates/diglot/src/a.rs", "#[cfg(test)]\nmod tests { fn a() { sleep(second) } }"),
            1
        );
        assert_eq!(found("crates/diglot/src/a.rs", "fn a() { sleep(second) }"), 0);
        assert_eq!(found("crates/diglot/tests/it/a.rs", "sleep(second).await; // paused clock"), 0);
        assert_eq!(found("crates/diglot/tests/it/a.rs", "advance(second).await; // no sleep(second)"), 0);
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let found = |path: &str| binaries([path].into_iter()).len();
        assert_eq!(found("crates/diglot/tests/client.rs"), 1);
        assert_eq!(found("crates/diglot/tests/other/main.rs"), 1);
        assert_eq!(found("crates/diglot/tests/it/main.rs"), 0);
        assert_eq!(found("crates/diglot/tests/it/client.rs"), 0);
        assert_eq!(found("crates/diglot/tests/data/a.json"), 0);
    }
}

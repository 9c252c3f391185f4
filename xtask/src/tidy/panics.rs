//! Outside tests nothing is unwrapped, and `expect` says why it holds.

use super::source::{Problem, Source};

/// The shortest reason, in bytes.
const REASON: usize = 10;

/// Checks `unwrap` and `expect`.
pub fn check(source: &Source) -> Vec<Problem> {
    let outside_tests = |at: &usize| !source.is_test(*at);
    let mut problems = Vec::new();
    for method in ["unwrap", "unwrap_err"] {
        for at in source.find(&[".", method, "("]).into_iter().filter(outside_tests) {
            let what = format!("`.{method}()`; return the failure, or `expect(\"why it holds\")`");
            problems.push(source.problem(at, "unwrap", what));
        }
    }
    for method in ["expect", "expect_err"] {
        for at in source.find(&[".", method, "("]).into_iter().filter(outside_tests) {
            if !has_reason(source, at) {
                let what = format!("`.{method}()` without its reason; say in a literal why it holds");
                problems.push(source.problem(at, "expect", what));
            }
        }
    }
    problems
}

/// Whether the call at `at` takes a reason; a byte or a character is the argument of another method of that name.
fn has_reason(source: &Source, at: usize) -> bool {
    let Some(open) = source.code[at..].find('(').map(|open| at + open + 1) else {
        return false;
    };
    let argument = source.code[open..].trim_start();
    if argument.starts_with('\'') || argument.starts_with("b'") {
        return true;
    }
    let start = source.code.len() - argument.len();
    let Some(length) = argument.strip_prefix('"').and_then(|rest| rest.find('"')) else {
        return false;
    };
    source.text[start + 1..start + 1 + length].trim().len() >= REASON
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        check(&Source::new("crates/diglot/src/a.rs", text)).iter().map(|problem| problem.rule).collect()
    }

    #[test]
    fn an_unwrap_is_found() {
        assert_eq!(rules("fn a() { b.unwrap() }"), ["unwrap"]);
        assert_eq!(rules("fn a() { b\n    .unwrap_err() }"), ["unwrap"]);
    }

    #[test]
    fn an_expect_without_a_reason_is_found() {
        for text in [
            "b.expect(\"\")",
            "b.expect(\"works\")",
            "b.expect(reason)",
            "b.expect(&format!(\"a long reason\"))",
        ] {
            assert_eq!(rules(text), ["expect"], "{text}");
        }
    }

    #[test]
    fn other_code_is_not() {
        for text in [
            "b.expect(\"the lock is never poisoned\")",
            "b.expect(\n    \"the lock is never poisoned\",\n)",
            "b.unwrap_or(c).unwrap_or_default()",
            "// b.unwrap()",
            "reader.expect(b'{')",
            "#[cfg(test)]\nmod tests { fn a() { b.unwrap(); c.expect(\"\") } }",
        ] {
            assert!(rules(text).is_empty(), "{text}");
        }
        assert!(check(&Source::new("crates/diglot/tests/it/a.rs", "b.unwrap()")).is_empty());
    }
}

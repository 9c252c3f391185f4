//! A lint is expected with a reason, never allowed.

use super::source::{Problem, Source};
use super::tokens;

/// Checks the attributes that silence lints.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for attribute in source.attributes() {
        let words = tokens::read(attribute.code);
        let nested = words.first().is_some_and(|token| token.text == "cfg_attr");
        let silences = |lint: &str| {
            words.iter().take(if nested { usize::MAX } else { 1 }).any(|token| token.text == lint)
        };
        let has_reason = words.windows(2).any(|pair| pair[0].text == "reason" && pair[1].text == "=");
        if silences("allow") {
            let what = "a bare `allow`; mend the cause, or `#[expect(lint, reason = \"…\")]`";
            problems.push(source.problem(attribute.at, "allow", what));
        }
        if silences("expect") && !has_reason {
            let what = "an `expect` without its reason; add `reason = \"…\"`";
            problems.push(source.problem(attribute.at, "expect-reason", what));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        check(&Source::new("crates/diglot/src/a.rs", text)).iter().map(|problem| problem.rule).collect()
    }

    #[test]
    fn a_lint_is_expected_with_a_reason() {
        assert!(rules("#[expect(dead_code, reason = \"the next layer uses it\")]\nfn a() {}").is_empty());
        assert!(rules("#[derive(Debug)]\n#[cfg(test)]\nfn allow(expect: u8) {}").is_empty());
    }

    #[test]
    fn a_silent_one_is_found() {
        assert_eq!(rules("#[allow(dead_code)]\nfn a() {}"), ["allow"]);
        assert_eq!(rules("#![allow(dead_code)]"), ["allow"]);
        assert_eq!(rules("#[cfg_attr(unix, allow(dead_code))]\nfn a() {}"), ["allow"]);
        assert_eq!(rules("#[expect(dead_code)]\nfn a() {}"), ["expect-reason"]);
    }
}

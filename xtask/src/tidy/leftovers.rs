//! Nothing unfinished is left in the tree.

use super::source::{Problem, Source};
use super::tokens;

/// Macros that mark unfinished code.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Words that mark an unfinished thought, in a comment.
const MARKS: &[&str] = &["FIXME", "TODO", "XXX"];

/// Checks for unfinished code, ignored tests and marks.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for name in MACROS {
        for at in source.find(&[name, "!", "("]) {
            problems.push(source.problem(
                at,
                "leftover",
                format!("`{name}!` is unfinished; finish it or take it out"),
            ));
        }
    }
    for attribute in source.attributes() {
        if tokens::read(attribute.code).first().is_some_and(|token| token.text == "ignore") {
            let what = "an ignored test proves nothing; mend it or take it out";
            problems.push(source.problem(attribute.at, "leftover", what));
        }
    }
    for mark in MARKS {
        for (at, _) in source
            .comments
            .match_indices(mark)
            .filter(|(at, _)| stands_alone(&source.comments, *at, mark.len()))
        {
            problems.push(source.problem(
                at,
                "leftover",
                format!("a `{mark}` nobody will find; do it now or say why not"),
            ));
        }
    }
    problems
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !word(text[..at].chars().next_back()) && !word(text[at + length..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Source::new("crates/diglot/src/a.rs", text)).len()
    }

    #[test]
    fn unfinished_code_is_found() {
        for text in [
            "fn a() { todo!() }",
            "fn a() { dbg!(b) }",
            "// FIXME: b",
            "/* TODO */",
            "#[ignore = \"slow\"]\nfn a() {}",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
    }

    #[test]
    fn finished_code_is_not() {
        for text in [
            "fn todo() {}",
            "// todo! in a comment",
            "const A: &str = \"FIXME\";",
            "// XXXL",
            "fn ignore() {}",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }
}

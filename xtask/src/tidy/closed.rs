//! A public enum, and a public struct with public fields, can grow without breaking its users.

use super::source::{Problem, Source};
use super::tokens::{self, Token};

/// The crates that others depend on.
const LIBRARIES: &[&str] = &["crates/diglot-proto/src/", "crates/diglot-auth/src/", "crates/diglot/src/"];

/// The comment that keeps a type closed for a reason, on a line above it.
const KEPT_CLOSED: &str = "// exhaustive: ";

/// Checks that each such type says `#[non_exhaustive]`.
pub fn check(source: &Source) -> Vec<Problem> {
    if !LIBRARIES.iter().any(|library| source.path.starts_with(library)) {
        return Vec::new();
    }
    let tokens = source.tokens();
    let mut problems = Vec::new();
    for (index, window) in tokens.windows(3).enumerate() {
        let [visibility, keyword, name] = window else {
            continue;
        };
        let grows = match keyword.text {
            "enum" => true,
            "struct" => has_public_field(&tokens, index + 3),
            _ => false,
        };
        if visibility.text != "pub"
            || !grows
            || source.is_test(keyword.at)
            || is_marked(source, visibility.at)
        {
            continue;
        }
        let what = format!(
            "`{}` is public and closed; put `#[non_exhaustive]` on it, or say above it why it never grows (`{KEPT_CLOSED}…`)",
            name.text
        );
        problems.push(source.problem(keyword.at, "non-exhaustive", what));
    }
    problems
}

/// Whether what stands before the item, since the last one, marks it.
fn is_marked(source: &Source, at: usize) -> bool {
    let start = source.code[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    source.code[start..at].contains("non_exhaustive") || source.comments[start..at].contains(KEPT_CLOSED)
}

/// Whether the struct, whose generics or body begin at `index`, has a field that is `pub`.
fn has_public_field(tokens: &[Token<'_>], mut index: usize) -> bool {
    let mut angles = 0usize;
    let mut bounds = false;
    while let Some(token) = tokens.get(index) {
        match token.text {
            "<" => angles += 1,
            ">" if tokens[index - 1].text != "-" => angles = angles.saturating_sub(1),
            "where" => bounds = true,
            ";" => return false,
            "{" => break,
            "(" if angles == 0 && !bounds => break,
            _ => {}
        }
        index += 1;
    }
    let Some(body) = tokens.get(index..) else {
        return false;
    };
    if body.is_empty() {
        return false;
    }
    let body = &body[..tokens::closing(body, 0)];
    body.windows(2).any(|pair| pair[0].text == "pub" && pair[1].text != "(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Source::new("crates/diglot/src/a.rs", text)).len()
    }

    #[test]
    fn a_closed_type_is_found() {
        for text in [
            "pub enum A { B }",
            "pub struct A { pub b: u8 }",
            "pub struct A(pub u8);",
            "pub struct A<F: Fn(u8) -> u8> where F: Send { b: F, pub c: u8 }",
            "#[non_exhaustive]\npub enum A { B }\n#[derive(Debug)]\npub enum C { D }",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
    }

    #[test]
    fn an_open_or_opaque_type_is_not() {
        for text in [
            "#[derive(Debug)]\n#[non_exhaustive]\npub enum A { B }",
            "/// Doc; with a mark.\n#[non_exhaustive]\n/// More.\npub struct A { pub b: u8 }",
            "pub struct A(u8);",
            "pub struct A;\nimpl A { pub fn b() {} }",
            "pub struct A { b: u8, pub(crate) c: u8 }",
            "pub(crate) enum A { B }",
            "enum A { B }",
            "/// The sides.\n// exhaustive: a wire has two ends\npub enum A { B }",
            "#[cfg(test)]\nmod tests { pub enum A { B } }",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }

    #[test]
    fn other_crates_may_close_theirs() {
        assert!(check(&Source::new("crates/diglot-cli/src/a.rs", "pub enum A { B }")).is_empty());
    }
}

//! No name that says nothing: not of a file, not of a type, not of a function.

use super::source::{Problem, Source};

/// Words of files and modules.
const FILES: &[&str] = &["util", "utils", "common", "helper", "helpers"];

/// Words of types.
const TYPES: &[&str] = &["Manager", "Impl", "Wrapper", "Util", "Utils", "Helper", "Helpers"];

/// Checks the names that the file bears and gives.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(word) = source.path.split(['/', '_', '-', '.']).find(|word| FILES.contains(word)) {
        let what = format!("`{word}` names a file; name it by what is in it, in a word of the specification");
        problems.push(source.problem(0, "name", what));
    }
    let tokens = source.tokens();
    for pair in tokens.windows(2) {
        let (keyword, name) = (pair[0].text, pair[1].text);
        let what = match keyword {
            "mod" => name.split('_').find(|word| FILES.contains(word)).map(|word| {
                format!("`{word}` names a module; name it by what is in it, in a word of the specification")
            }),
            "struct" | "enum" | "trait" | "type" | "union" => words(name)
                .find(|word| TYPES.contains(word))
                .map(|word| format!("`{name}`: `{word}` says nothing; name what it is")),
            "fn" if name.starts_with("get_") => Some(format!("`{name}`; leave out `get_`")),
            _ => None,
        };
        problems.extend(what.map(|what| source.problem(pair[1].at, "name", what)));
    }
    problems
}

/// The words of a name in camel case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end =
            rest.char_indices().skip(1).find(|(_, c)| c.is_uppercase()).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Source::new(path, text)).len()
    }

    #[test]
    fn a_name_that_says_nothing_is_found() {
        assert_eq!(found("crates/diglot/src/http_utils.rs", ""), 1);
        assert_eq!(found("crates/diglot/src/common/mod.rs", ""), 1);
        for text in ["mod helpers {}", "struct SessionManager;", "type ClientImpl = u8;", "fn get_era() {}"] {
            assert_eq!(found("crates/diglot/src/a.rs", text), 1, "{text}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for text in [
            "struct Implementation;",
            "fn get() {}",
            "fn budget_left() {}",
            "impl Commons for Managed {}",
            "// SessionManager",
        ] {
            assert_eq!(found("crates/diglot/src/uncommon.rs", text), 0, "{text}");
        }
    }
}

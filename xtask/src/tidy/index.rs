//! Every way to fail has an entry in the error index, and every page of the guide is compiled.

use super::source::{Problem, Source};

/// The page that has an entry for each variant.
const INDEX: &str = "docs/errors.md";

/// The enums whose variants are looked up there, each with its file.
const ENUMS: &[(&str, &str)] = &[
    ("Error", "crates/diglot/src/error/mod.rs"),
    ("Phase", "crates/diglot/src/error/mod.rs"),
    ("IncompatibleReason", "crates/diglot/src/error/negotiated.rs"),
    ("Reopening", "crates/diglot/src/error/lost.rs"),
    ("Violation", "crates/diglot/src/error/protocol.rs"),
    ("TransportFault", "crates/diglot/src/error/transport.rs"),
    ("BadAddress", "crates/diglot/src/error/transport.rs"),
    ("RedirectReason", "crates/diglot/src/error/transport.rs"),
    ("SkillFault", "crates/diglot/src/error/skill.rs"),
];

/// Where the pages of the guide are compiled.
const COMPILED: &str = "crates/diglot/src/readme.rs";

/// Checks the index against the enums, and the guide against the pages that are compiled.
pub fn check(sources: &[Source], texts: &[(String, String)]) -> Vec<Problem> {
    let text = |wanted: &str| texts.iter().find(|(path, _)| path == wanted).map(|(_, text)| text.as_str());
    let Some(index) = text(INDEX) else { return Vec::new() };
    let mut problems = Vec::new();
    for (name, path) in ENUMS {
        let Some(source) = sources.iter().find(|source| source.path == *path) else { continue };
        for (at, variant) in variants(source, name) {
            if !has_row(index, name, variant) {
                let what = format!("{INDEX} has no row for `{variant}` in the table of `{name}`; write one");
                problems.push(source.problem(at, "error-index", what));
            }
        }
    }
    problems.extend(uncompiled(texts, text(COMPILED).unwrap_or_default()));
    problems
}

/// Finds the pages with Rust in them that no test compiles.
fn uncompiled(texts: &[(String, String)], compiled: &str) -> Vec<Problem> {
    let is_missing = |(path, text): &&(String, String)| {
        path.starts_with("docs/") && text.contains("```rust") && !compiled.contains(&format!("\"{path}\""))
    };
    let problem = |(path, _): &(String, String)| Problem {
        path: path.clone(),
        line: 1,
        rule: "guide-compiled",
        what: format!("its snippets are not compiled; add the page to {COMPILED}"),
    };
    texts.iter().filter(is_missing).map(problem).collect()
}

/// Tells whether the table that an enum heads has a row that begins with the variant, alone or beside others.
fn has_row(index: &str, name: &str, variant: &str) -> bool {
    let head = format!("| `{name}` |");
    let lines: Vec<&str> = index.lines().collect();
    let is_head = |pair: &[&str]| pair[0].starts_with(&head) && pair[1].starts_with("|--");
    let Some(start) = lines.windows(2).position(is_head) else { return false };
    let wanted = format!("`{variant}`");
    let rows = lines.iter().skip(start + 2);
    rows.take_while(|line| line.starts_with('|'))
        .any(|row| row.split('|').nth(1).is_some_and(|cell| cell.contains(&wanted)))
}

/// Lists the variants of an enum, each with where it stands.
fn variants<'a>(source: &'a Source, name: &str) -> Vec<(usize, &'a str)> {
    let tokens = source.tokens();
    let Some(start) = source.find(&["enum", name, "{"]).first().copied() else { return Vec::new() };
    let mut found = Vec::new();
    let (mut depth, mut is_first) = (0_usize, true);
    for token in tokens.iter().skip_while(|token| token.at < start).skip(2) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            "," if depth == 1 => is_first = true,
            word if depth == 1 && is_first && word.starts_with(char::is_uppercase) => {
                is_first = false;
                found.push((token.at, word));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    const CODE: &str = "//! A.\n#[non_exhaustive]\npub enum Phase {\n    /// First.\n    #[x(Y)]\n    Open,\n    Probe { a: Inner },\n    Last(Box<Thing>),\n}\n";

    #[test]
    fn a_variant_without_a_row_is_found() {
        let source = Source::new("crates/diglot/src/error/mod.rs", CODE);
        let index =
            "| `Phase` | What |\n|---|---|\n| `Open` | a |\n| `Last` | b |\n\n| `Probe` | elsewhere |\n";
        let found = check(&[source], &[file(INDEX, index)]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].rule), (7, "error-index"));
        assert!(found[0].what.contains("`Probe`"));
    }

    #[test]
    fn a_page_that_no_test_compiles_is_found() {
        let page = file("docs/a.md", "# A\n\n```rust\nfn a() {}\n```\n");
        let found = |compiled| check(&[], &[file(INDEX, ""), page.clone(), file(COMPILED, compiled)]).len();
        assert_eq!((found("pages! { A: \"docs/a.md\", }"), found("")), (0, 1));
    }
}

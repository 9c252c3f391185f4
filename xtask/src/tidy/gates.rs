//! A feature adds a module and changes nothing else.

use super::source::{Attribute, Problem, Source};
use super::tokens;

/// Checks that `cfg(feature = …)` stands on modules and imports alone.
pub fn check(source: &Source) -> Vec<Problem> {
    let gated = source.attributes().into_iter().filter(|attribute| names_feature(attribute));
    let mut places: Vec<usize> = gated
        .filter(|attribute| attribute.inner || !is_module(source, attribute.end))
        .map(|attribute| attribute.at)
        .collect();
    places.extend(source.find(&["cfg", "!", "(", "feature"]));
    let what = "a feature changes code here; a feature adds a module, so gate a `mod` or `use` line and move the code there";
    places.into_iter().map(|at| source.problem(at, "feature-gate", what)).collect()
}

/// Whether the attribute turns on a feature; those for rustdoc and for the whole crate do not count.
fn names_feature(attribute: &Attribute<'_>) -> bool {
    let words = tokens::read(attribute.code);
    let word = |index: usize| words.get(index).map_or("", |token| token.text);
    let exempt = match word(0) {
        "cfg" => false,
        "cfg_attr" => attribute.inner || word(2) == "docsrs",
        _ => true,
    };
    !exempt && words.iter().any(|token| token.text == "feature")
}

/// Whether the item at `from`, past further attributes and its visibility, is a module or an import.
fn is_module(source: &Source, from: usize) -> bool {
    let attributes = source.attributes();
    let mut at = from;
    loop {
        let rest = source.code[at..].trim_start();
        let start = source.code.len() - rest.len();
        match attributes.iter().find(|attribute| attribute.at == start) {
            Some(next) => at = next.end,
            None => break,
        }
    }
    let tokens = tokens::read(&source.code[at..]);
    let mut index = 0;
    if tokens.first().is_some_and(|token| token.text == "pub") {
        index = 1;
        if tokens.get(1).is_some_and(|token| token.text == "(") {
            index = tokens::closing(&tokens, 1) + 1;
        }
    }
    tokens.get(index).is_some_and(|token| matches!(token.text, "mod" | "use" | "extern"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Source::new("crates/diglot/src/a.rs", text)).len()
    }

    #[test]
    fn a_gate_on_code_is_found() {
        for text in [
            "#[cfg(feature = \"http\")]\nfn a() {}",
            "#[cfg(all(unix, feature = \"http\"))]\npub struct A;",
            "fn a() { if cfg!(feature = \"http\") {} }",
            "#[cfg_attr(feature = \"http\", derive(Debug))]\nstruct A;",
            "#![cfg(feature = \"http\")]",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
    }

    #[test]
    fn a_gate_on_a_module_is_not() {
        for text in [
            "#[cfg(feature = \"http\")]\npub mod http;",
            "#[cfg(feature = \"http\")]\n#[doc(inline)]\npub(crate) use http::Client;",
            "#![cfg_attr(docsrs, feature(doc_cfg))]",
            "#[cfg_attr(docsrs, doc(cfg(feature = \"http\")))]\npub struct A;",
            "#[cfg(unix)]\nfn a() {}",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }
}

//! A source file as the rules see it, and what they report.

use std::ops::Range;

use super::lexer;
use super::tokens::{self, Token};

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The file, from the root of the tree.
    pub path: String,
    /// The line, from one.
    pub line: usize,
    /// The name of the rule.
    pub rule: &'static str,
    /// What is wrong, and what to do.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// An attribute, without its brackets.
pub struct Attribute<'a> {
    /// Where its `#` stands.
    pub at: usize,
    /// The offset past its `]`.
    pub end: usize,
    /// Whether it speaks of what it stands in (`#![…]`).
    pub inner: bool,
    /// The text between the brackets, strings blank.
    pub code: &'a str,
}

/// A Rust file, read.
pub struct Source {
    /// The path from the root of the tree, with `/`.
    pub path: String,
    /// The file as it is.
    pub text: String,
    /// The code alone, at the same offsets.
    pub code: String,
    /// The comments alone, at the same offsets.
    pub comments: String,
    tests: Vec<Range<usize>>,
}

impl Source {
    /// Reads `text` as the file at `path`.
    pub fn new(path: &str, text: &str) -> Self {
        let lexer::Halves { code, comments } = lexer::split(text);
        let mut source =
            Self { path: path.to_owned(), text: text.to_owned(), code, comments, tests: Vec::new() };
        source.tests = source.test_ranges();
        source
    }

    /// Splits the code into tokens.
    pub fn tokens(&self) -> Vec<Token<'_>> {
        tokens::read(&self.code)
    }

    /// Finds where the code has these tokens in a row.
    pub fn find(&self, wanted: &[&str]) -> Vec<usize> {
        let tokens = self.tokens();
        let same = |window: &&[Token<'_>]| window.iter().zip(wanted).all(|(token, text)| token.text == *text);
        tokens.windows(wanted.len()).filter(same).map(|window| window[0].at).collect()
    }

    /// Lists the attributes in the order of the file.
    pub fn attributes(&self) -> Vec<Attribute<'_>> {
        let tokens = self.tokens();
        let mut found = Vec::new();
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "#") {
            let inner = tokens.get(index + 1).is_some_and(|token| token.text == "!");
            let open = index + 1 + usize::from(inner);
            if tokens.get(open).is_none_or(|token| token.text != "[") {
                continue;
            }
            let close = tokens::closing(&tokens, open);
            let (start, end) = (tokens[open].at + 1, tokens[close].at);
            found.push(Attribute {
                at: token.at,
                end: end + 1,
                inner,
                code: self.code[start..end.max(start)].trim(),
            });
        }
        found
    }

    /// Counts the line of `offset`, from one.
    pub fn line(&self, offset: usize) -> usize {
        1 + self.text[..offset].matches('\n').count()
    }

    /// The line that `offset` stands on, as it is.
    pub fn line_text(&self, offset: usize) -> &str {
        let start = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// Whether `offset` is compiled for tests only.
    pub fn is_test(&self, offset: usize) -> bool {
        self.is_test_file() || self.tests.iter().any(|range| range.contains(&offset))
    }

    /// Whether the whole file is compiled for tests only, by its place.
    pub fn is_test_file(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// Makes a problem of this file.
    pub fn problem(&self, offset: usize, rule: &'static str, what: impl Into<String>) -> Problem {
        Problem { path: self.path.clone(), line: self.line(offset), rule, what: what.into() }
    }

    /// The items under `#[cfg(test)]`, each to its closing brace or semicolon.
    fn test_ranges(&self) -> Vec<Range<usize>> {
        let tokens = self.tokens();
        let mut ranges = Vec::new();
        for attribute in self.attributes() {
            let words = tokens::read(attribute.code);
            let says = |word: &str| words.iter().any(|token| token.text == word);
            if words.first().is_none_or(|token| token.text != "cfg") || !says("test") || says("not") {
                continue;
            }
            let end = if attribute.inner { self.code.len() } else { item_end(&tokens, attribute.end) };
            ranges.push(attribute.at..end);
        }
        ranges
    }
}

/// The offset past the item that begins at `from`.
fn item_end(tokens: &[Token<'_>], from: usize) -> usize {
    let mut index = tokens.partition_point(|token| token.at < from);
    while let Some(token) = tokens.get(index) {
        match token.text {
            ";" => return token.at + 1,
            "{" => return tokens[tokens::closing(tokens, index)].at + 1,
            "(" | "[" => index = tokens::closing(tokens, index) + 1,
            _ => index += 1,
        }
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_module_ends_at_its_brace() {
        let source = Source::new("src/a.rs", "fn a() {}\n#[cfg(test)]\nmod tests { fn b() {} }\nfn c() {}");
        let is_test = |word| source.is_test(source.text.find(word).unwrap());
        assert_eq!([is_test("a()"), is_test("b()"), is_test("c()")], [false, true, false]);
    }

    #[test]
    fn code_that_tests_leave_out_is_not_test_code() {
        let source = Source::new("src/a.rs", "#[cfg(not(test))]\nfn a() {}");
        assert!(!source.is_test(20));
    }

    #[test]
    fn an_attribute_is_found_whole() {
        let source = Source::new("src/a.rs", "#![a]\n#[b(c = \"]\", d[0])]\nfn e() {}");
        let found: Vec<_> = source.attributes().iter().map(|found| (found.inner, found.code)).collect();
        assert_eq!(found, [(true, "a"), (false, "b(c = \" \", d[0])")]);
    }

    #[test]
    fn a_problem_names_the_line() {
        let source = Source::new("src/a.rs", "a\nb\n");
        assert_eq!(source.problem(2, "rule", "what").to_string(), "src/a.rs:2: rule: what");
    }
}

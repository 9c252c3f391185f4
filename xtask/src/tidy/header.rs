//! A file begins with a sentence that says what it is, and ends before its ceiling.

use super::source::{Problem, Source};

/// The lines at which a file is too long, unless its header says that it is a table. The aim is 400.
const CEILING: usize = 450;

/// Checks the header and the length.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !says_what_it_is(&source.text) {
        let what =
            "the file does not begin with a sentence; open it with `//! What it is, with a full stop.`";
        problems.push(source.problem(0, "header", what));
    }
    let lines = source.text.lines().count();
    if lines > CEILING && !is_table(&source.text) {
        let what = format!(
            "{lines} lines; divide it by concern (about 400 is the ceiling), or say in its header that it is a table"
        );
        problems.push(source.problem(0, "ceiling", what));
    }
    problems
}

fn header(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim)
}

fn says_what_it_is(text: &str) -> bool {
    let paragraph: Vec<&str> = header(text).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    paragraph.ends_with('.') && !paragraph.starts_with(char::is_lowercase)
}

fn is_table(text: &str) -> bool {
    let says = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("table"))
    };
    header(text).any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        check(&Source::new("crates/x/src/a.rs", text)).iter().map(|problem| problem.rule).collect()
    }

    #[test]
    fn a_sentence_is_a_header() {
        assert!(rules("//! What it is,\n//! on two lines.\n//!\n//! More\n").is_empty());
        assert!(rules("//! `Era` and what it means.\n").is_empty());
    }

    #[test]
    fn anything_else_is_not() {
        for text in [
            "fn a() {}\n",
            "//! What it is\n",
            "//! what it is.\n",
            "// What it is.\n",
            "\n//! What it is.\n",
        ] {
            assert_eq!(rules(text), ["header"], "{text}");
        }
    }

    #[test]
    fn a_long_file_is_a_table_or_too_long() {
        let body = "const A: u8 = 0;\n".repeat(CEILING);
        assert_eq!(rules(&format!("//! Codes.\n{body}")), ["ceiling"]);
        assert!(rules(&format!("//! The table of codes.\n{body}")).is_empty());
        assert_eq!(rules(&format!("//! A vegetable.\n{body}")), ["ceiling"]);
    }
}

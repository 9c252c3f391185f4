//! A doc comment is a sentence in the third person, with a full stop.

use super::source::{Problem, Source};
use super::tokens;

/// First words that tell the reader what to do instead of saying what the function does.
#[rustfmt::skip]
const IMPERATIVES: &[&str] = &[
    "Add", "Build", "Check", "Convert", "Create", "Find", "Get", "Give", "Make", "Parse", "Return", "Run", "Send",
    "Set", "Take", "Write",
];

/// A doc comment of several lines.
struct Block<'a> {
    lines: Vec<&'a str>,
    at: usize,
    end: usize,
}

/// Checks the first paragraph of every doc comment outside tests.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for block in blocks(source).into_iter().filter(|block| !source.is_test(block.at)) {
        let paragraph = first_paragraph(&block.lines);
        let first = paragraph.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !paragraph.ends_with(['.', ':']) && !paragraph.ends_with(".)") {
            let what = "the first paragraph is no sentence; end it with a full stop";
            problems.push(source.problem(block.at, "doc", what));
        }
        if first.starts_with(char::is_lowercase) {
            let what = format!("`{first}` begins a sentence; begin it with a capital");
            problems.push(source.problem(block.at, "doc", what));
        }
        if IMPERATIVES.contains(&first) && is_function(source, block.end) {
            let what = format!("`{first}` speaks to the function; say what it does, in the third person");
            problems.push(source.problem(block.at, "doc", what));
        }
    }
    problems
}

fn blocks(source: &Source) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for line in source.text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let doc = line.trim().strip_prefix("///").filter(|rest| !rest.starts_with('/'));
        match doc.filter(|_| source.comments[at + indent..].starts_with("///")) {
            Some(text) => {
                if !open {
                    blocks.push(Block { lines: Vec::new(), at: at + indent, end: 0 });
                }
                open = true;
                if let Some(block) = blocks.last_mut() {
                    block.lines.push(text);
                    block.end = at + line.len();
                }
            }
            None => open = false,
        }
        at += line.len();
    }
    blocks
}

/// The first paragraph; a list, a table, a heading or a code block ends it too.
fn first_paragraph(lines: &[&str]) -> String {
    let ends = |line: &str| {
        let marks = ["- ", "* ", "|", "# ", "```"];
        line.is_empty() || marks.iter().any(|mark| line.starts_with(mark))
    };
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).take_while(|line| !ends(line)).collect();
    lines.join(" ")
}

/// Whether the item at `from` is a function.
fn is_function(source: &Source, from: usize) -> bool {
    let tokens = tokens::read(&source.code[from..]);
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        match token.text {
            "fn" => return true,
            "#" | "pub" | "async" | "const" | "unsafe" => index += 1,
            "[" | "(" => index = tokens::closing(&tokens, index) + 1,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Source::new("crates/diglot/src/a.rs", text)).len()
    }

    #[test]
    fn a_sentence_passes() {
        for text in [
            "/// Reads a line.\npub fn a() {}",
            "/// Reads a line\n/// to its end.\n///\n/// And more\npub fn a() {}",
            "/// Reads one of:\n/// - a line\npub fn a() {}",
            "/// `Era` of the peer.\npub struct A;",
            "/// (Not for the legacy era.)\npub struct A;",
            "/// Set of eras.\npub struct A;",
            "//// a ruler\nfn a() {}",
            "const A: &str = \"\n/// not a comment\n\";",
            "#[cfg(test)]\nmod tests {\n    /// a\n    fn a() {}\n}",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }

    #[test]
    fn anything_else_does_not() {
        for text in [
            "/// Reads a line\npub fn a() {}",
            "/// Reads a line\n///\n/// And more.\npub fn a() {}",
            "/// reads a line.\npub fn a() {}",
            "/// ```\n/// a()\n/// ```\npub fn a() {}",
            "/// Return the line.\n#[must_use]\npub(crate) async fn a() {}",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
    }
}

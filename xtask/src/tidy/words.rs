//! The text explains itself: no path of somebody's machine, no number of a ticket, no empty file.

use super::source::{Problem, Source};

/// The folders at the root of a disk where people keep their work.
const MACHINE: &[&str] = &["home", "root", "work", "Users"];

/// What comes before the number of a ticket, in lower case.
const TICKETS: &[&str] = &["#", "issue ", "issues/", "pr ", "pull request ", "pull/"];

/// Checks a text file for absolute paths of a developer's machine.
pub fn machine_paths(path: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(folder) = MACHINE.iter().find(|folder| names_folder(line, folder)) {
            let what = format!("a path below /{folder} of some machine; say it relative to the tree");
            problems.push(Problem { path: path.to_owned(), line: index + 1, rule: "machine-path", what });
        }
    }
    problems
}

/// Checks that a file holds something.
pub fn empty(path: &str, text: &str) -> Vec<Problem> {
    let what = "an empty file; fill it or take it out".to_owned();
    let problem = Problem { path: path.to_owned(), line: 1, rule: "empty", what };
    if text.trim().is_empty() { vec![problem] } else { Vec::new() }
}

/// Checks the comments of a Rust file for ticket numbers.
pub fn tickets(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut at = 0;
    for line in source.comments.split_inclusive('\n') {
        if TICKETS.iter().any(|mark| names_ticket(&line.to_lowercase(), mark)) {
            let what = "a ticket number; say in plain words what the reader would find there";
            problems.push(source.problem(at, "ticket", what));
        }
        at += line.len();
    }
    problems
}

/// Whether the line has `/folder/` at the beginning of a path.
fn names_folder(line: &str, folder: &str) -> bool {
    let wanted = format!("/{folder}/");
    line.match_indices(&wanted).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "~.-_*$)}>".contains(c))
    })
}

/// Whether the line has `mark` and a number, as a word of its own and not within an address.
fn names_ticket(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let word = &line[line[..at].rfind(char::is_whitespace).map_or(0, |space| space + 1)..at];
        let digits = line[at + mark.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let apart = match mark {
            "#" => before != Some('&') && !word.contains("://"),
            _ => !before.is_some_and(char::is_alphanumeric),
        };
        digits > 0 && apart
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_path_is_found() {
        let found = |text: &str| machine_paths("README.md", text).len();
        for folder in MACHINE {
            assert_eq!(found(&format!("see /{folder}/me/diglot\n")), 1);
            assert_eq!(found(&format!("\"file:///{folder}/me\"\n")), 1);
            assert_eq!(found(&format!("https://example.com/{folder}/me\n")), 0);
            assert_eq!(found(&format!("../{folder}/me and ~/{folder}/me\n")), 0);
        }
    }

    #[test]
    fn an_empty_file_is_found() {
        assert_eq!(empty("a.md", "\n \n").len(), 1);
        assert_eq!(empty("a.md", "a\n").len(), 0);
    }

    #[test]
    fn a_ticket_number_is_found() {
        let found = |text: &str| tickets(&Source::new("crates/diglot/src/a.rs", text)).len();
        for text in [
            "// see #12",
            "/// Mends owner/name#12.",
            "// PR 12",
            "/* issue 12 */",
            "// https://example.com/pull/12",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in [
            "\"#12\"",
            "/// # Errors",
            "// &#39;",
            "// https://example.com/page#12",
            "// tissue 12",
            "#[a] // # 1",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }
}

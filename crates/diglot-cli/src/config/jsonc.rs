//! JSON as people write it in configuration files: with comments and trailing commas.

use serde::de::DeserializeOwned;

/// Reads a text; what is wrong is told by line and column.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = without_extras(text);
    serde_json::from_str(&plain).map_err(|error| {
        let told = error.to_string();
        // serde_json puts the place last; a reader wants it first.
        let what = told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what);
        format!("line {}, column {}: {what}", error.line(), error.column())
    })
}

/// Puts spaces in the place of comments and trailing commas, so that every place stays what it was.
fn without_extras(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Where the last comma stands in `out`, if nothing but space and comments came after it.
    let mut comma = None;
    while let Some(first) = rest.chars().next() {
        let (taken, is_comment) = token(rest);
        let (token, after) = rest.split_at(taken);
        rest = after;
        if is_comment {
            out.extend(token.chars().map(|c| if matches!(c, '\n' | '\r') { c } else { ' ' }));
            continue;
        }
        match (first, comma) {
            ('}' | ']', Some(at)) => out.replace_range(at..at + 1, " "),
            (c, _) if c.is_whitespace() => {
                out.push_str(token);
                continue;
            }
            _ => {}
        }
        comma = (first == ',').then_some(out.len());
        out.push_str(token);
    }
    out
}

/// Returns the length of the first string, comment or character, and whether it is a comment.
fn token(text: &str) -> (usize, bool) {
    let end = |from: usize, mark: &str| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(mark).map_or(text.len(), |at| from + at + mark.len())
    };
    match text.as_bytes() {
        [b'/', b'/', ..] => (end(2, "\n"), true),
        [b'/', b'*', ..] => (end(2, "*/"), true),
        [b'"', ..] => (string(text), false),
        _ => (text.chars().next().map_or(0, char::len_utf8), false),
    }
}

/// Returns the length of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_seen_through() {
        let text = "\u{feff}{ // one\n \"a\": [1, 2, /* , */ ], \"b\": \"// no, \\\" comment /*\", // end\n}";
        assert_eq!(read::<Value>(text), Ok(json!({"a": [1, 2], "b": "// no, \" comment /*"})));
    }

    #[test]
    fn a_fault_is_told_by_its_place() {
        let told = read::<Value>("{\n  // é\n  \"a\": oops\n}").unwrap_err();
        assert!(told.starts_with("line 3, column 8: "), "{told}");
    }

    #[test]
    fn what_never_ends_is_refused() {
        for text in ["/* ", "\"a", "{\"a\": 1,", "//", "", ",", "\"\\"] {
            assert!(read::<Value>(text).is_err(), "{text}");
        }
    }
}

//! The frontmatter of a `SKILL.md`: YAML between two lines of three hyphens, read as a JSON object.

use serde_json::{Map, Value};

use super::yaml;
use crate::error::FrontmatterError;

/// The frontmatter as JSON, every member of it.
pub(crate) type Frontmatter = Map<String, Value>;

/// The longest frontmatter, in bytes.
pub(crate) const FRONTMATTER_BYTES: usize = 64 * 1024;

/// Reads the frontmatter of a file.
pub(crate) fn read(file: &[u8]) -> Result<Frontmatter, FrontmatterError> {
    let text = std::str::from_utf8(file).map_err(|_| FrontmatterError::NotText)?;
    let text = cut(text)?;
    if text.len() > FRONTMATTER_BYTES {
        return Err(FrontmatterError::TooLong { limit: FRONTMATTER_BYTES });
    }
    match yaml::read(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(FrontmatterError::NotAMapping),
        // The line of hyphens comes before what was read.
        Err(fault) => Err(FrontmatterError::Yaml { line: fault.line + 1, what: fault.what }),
    }
}

/// Cuts out what stands between the lines of hyphens.
fn cut(text: &str) -> Result<&str, FrontmatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n').ok_or(FrontmatterError::Missing)?;
    if first.trim_end() != "---" {
        return Err(FrontmatterError::Missing);
    }
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok(rest.get(..end).unwrap_or_default());
        }
        end += line.len();
    }
    Err(FrontmatterError::Unended)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_frontmatter_stands_between_two_lines_of_hyphens() {
        let expected = json!({ "name": "a", "description": "Does b" });
        for file in [
            "---\nname: a\ndescription: Does b\n---\nText\n---\n",
            "\u{feff}---\r\nname: a\r\ndescription: Does b\r\n---",
            "--- \nname: a\ndescription: Does b\n---\t\n",
        ] {
            assert_eq!(read(file.as_bytes()).map(Value::Object).as_ref(), Ok(&expected), "{file:?}");
        }
    }

    #[test]
    fn a_file_without_frontmatter_says_what_it_lacks() {
        let long = format!("---\na: {}\n---\n", "b".repeat(FRONTMATTER_BYTES));
        for (file, fault) in [
            ("", FrontmatterError::Missing),
            ("# Title\n---\n", FrontmatterError::Missing),
            ("----\na: b\n---\n", FrontmatterError::Missing),
            ("---\na: b\n", FrontmatterError::Unended),
            ("---\n- a\n---\n", FrontmatterError::NotAMapping),
            ("---\n---\n", FrontmatterError::NotAMapping),
            (&long, FrontmatterError::TooLong { limit: FRONTMATTER_BYTES }),
        ] {
            assert_eq!(read(file.as_bytes()), Err(fault), "{file:.40?}");
        }
        assert_eq!(read(b"---\na: \xff\n---\n"), Err(FrontmatterError::NotText));
        assert!(matches!(read(b"---\nname: a\nname: b\n---\n"), Err(FrontmatterError::Yaml { line: 3, .. })));
    }
}

//! The words of a call: the server, the tool, and the arguments in one of their forms.

use crate::assignment::{self, Assignment};
use crate::failure::Failure;

/// What the words of a call say.
#[derive(Debug, PartialEq)]
pub(super) struct Words<'a> {
    pub(super) target: Option<&'a str>,
    pub(super) tool: &'a str,
    pub(super) given: Given<'a>,
}

/// The arguments as they are given.
#[derive(Debug, PartialEq)]
pub(super) enum Given<'a> {
    Nothing,
    Json(&'a str),
    Stdin,
    Assignments(Vec<Assignment<'a>>),
}

impl Words<'_> {
    /// Tells whether the server's tools are listed before the call.
    pub(super) fn has_been_listed(&self) -> bool {
        matches!(self.given, Given::Assignments(_))
    }
}

/// Reads `[TARGET] TOOL [KEY=VALUE… | -]`; with a child process there is no TARGET.
pub(super) fn read<'a>(
    words: &'a [String],
    has_child: bool,
    json: Option<&'a str>,
) -> Result<Words<'a>, Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    let Some(tool) = words.next() else {
        return Err(match target {
            None if !has_child => Failure::usage("there is no target and no tool"),
            _ => Failure::usage("there is no tool to call").hint("diglot list shows the tools of a server"),
        });
    };
    if has_child && (tool.contains("://") || tool.contains('=')) {
        return Err(Failure::usage(format!(
            "with a command after --, the first word is the tool, and {:?} is none",
            crate::target::shown(tool.split('=').next().unwrap_or_default())
        )));
    }
    let rest: Vec<&str> = words.collect();
    let given = match (json, rest.as_slice()) {
        (Some(json), []) => Given::Json(json),
        (Some(_), [_, ..]) => {
            return Err(Failure::usage("--json-args and other arguments exclude each other"));
        }
        (None, []) => Given::Nothing,
        (None, ["-"]) => Given::Stdin,
        (None, rest) => Given::Assignments(assignment::read(rest)?),
    };
    Ok(Words { target, tool, given })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn an_argument_is_typed_or_json() {
        let words = owned(&["http://a", "add", "a=1", "b:=[1]", "c=x:=y", "d="]);
        let read = read(&words, false, None).unwrap();
        assert_eq!((read.target, read.tool), (Some("http://a"), "add"));
        let of = |key, value, is_json| Assignment { key, value, is_json };
        let expected =
            vec![of("a", "1", false), of("b", "[1]", true), of("c", "x:=y", false), of("d", "", false)];
        assert_eq!(read.given, Given::Assignments(expected));
    }

    #[test]
    fn with_a_child_the_first_word_is_the_tool() {
        let words = owned(&["add", "-"]);
        let read = read(&words, true, None).unwrap();
        assert_eq!(read, Words { target: None, tool: "add", given: Given::Stdin });
    }

    #[test]
    fn arguments_are_given_in_one_form() {
        for words in [&["t", "add", "a"][..], &["t", "add", "=1"], &["t", "add", "a=1", "a=2"], &["t"], &[]] {
            assert!(read(&owned(words), false, None).is_err(), "{words:?}");
        }
        assert!(read(&owned(&["t", "add", "a=1"]), false, Some("{}")).is_err());
        assert!(read(&owned(&["http://a", "add"]), true, None).is_err());
    }
}

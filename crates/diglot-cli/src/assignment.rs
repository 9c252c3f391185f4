//! Arguments as words of the command line: `KEY=VALUE`, or `KEY:=JSON`.

use std::collections::BTreeMap;

use crate::failure::Failure;
use crate::target::shown;

/// One argument.
#[derive(Debug, PartialEq)]
pub(crate) struct Assignment<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    /// Whether the value is JSON, whatever the schema says: `KEY:=JSON`.
    pub(crate) is_json: bool,
}

/// Reads words that each name an argument; no argument may be named twice.
pub(crate) fn read<'a>(words: &[&'a str]) -> Result<Vec<Assignment<'a>>, Failure> {
    let mut assignments: Vec<Assignment<'a>> = Vec::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            let failure =
                Failure::usage(format!("{:?} is not of the form KEY=VALUE or KEY:=JSON", shown(word)));
            return Err(match word.contains("://") {
                true => failure.hint("the server is the first word"),
                false => failure,
            });
        };
        let (key, is_json) = match key.strip_suffix(':') {
            Some(key) => (key, true),
            None => (key, false),
        };
        if key.is_empty() {
            return Err(Failure::usage(format!("{word:?} names no argument before its =")));
        }
        if assignments.iter().any(|other| other.key == key) {
            return Err(Failure::usage(format!("{key:?} is given twice"))
                .hint(format!("an array is written as JSON: {key}:=[1,2]")));
        }
        assignments.push(Assignment { key, value, is_json });
    }
    Ok(assignments)
}

/// Reads words whose values are text whatever they look like, as prompts take them.
pub(crate) fn texts<'a>(words: &[&'a str]) -> Result<BTreeMap<&'a str, &'a str>, Failure> {
    let assignments = read(words)?;
    match assignments.iter().find(|assignment| assignment.is_json) {
        Some(Assignment { key, .. }) => Err(Failure::usage(format!(
            "{key}:= takes JSON, and here every value is text: write {key}=VALUE"
        ))),
        None => Ok(assignments.into_iter().map(|Assignment { key, value, .. }| (key, value)).collect()),
    }
}

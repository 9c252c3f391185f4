//! What could not be read as a message, and what is still known about it.

use std::fmt;

use super::Id;
use super::limits::{MAX_BATCH, MAX_DEPTH};
use super::scan::skim;

/// Describes a text that is no usable message.
///
/// Its `Display` is one line that names what was seen. It may quote the first words of the text, with control
/// characters escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// What is wrong.
    pub kind: UnreadableKind,
    /// The id, where one can still be made out: the request with this id has failed, or is to be refused.
    pub id: Option<Id>,
    /// Whether the message had a `result` or an `error`, that is, was meant as a response.
    pub is_reply: bool,
    pub(super) fault: Fault,
    pub(super) excerpt: Box<str>,
}

/// Classifies what is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnreadableKind {
    /// Not JSON, or not JSON alone: a log line, a broken or cut message, a message with something after it.
    NotJson,
    /// JSON, and not meant as JSON-RPC: a number, `null`, a log object, an empty array.
    NotAMessage,
    /// Meant as JSON-RPC and unusable.
    ///
    /// An object was meant so if it has `jsonrpc`, or `id` beside a `method`, `result` or `error`.
    Malformed,
    /// A message that nests deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A batch of more than [`MAX_BATCH`] messages.
    BatchTooLong,
}

/// Says exactly what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    Cut,
    Broken { line: usize, column: usize },
    NotAnObject(&'static str),
    EmptyBatch,
    BatchTooLong,
    TooDeep,
    Foreign,
    OddId,
    NoMethod,
    OddMethod(&'static str),
    EmptyMethod,
    OddError(&'static str),
}

impl Unreadable {
    pub(super) fn new(kind: UnreadableKind, fault: Fault, text: &str) -> Self {
        Self { kind, id: None, is_reply: false, fault, excerpt: excerpt(text) }
    }

    /// Describes a text that is not JSON, with what a glance at its members tells.
    pub(super) fn not_json(text: &str, error: &serde_json::Error) -> Self {
        let fault = match error.is_eof() {
            true => Fault::Cut,
            false => Fault::Broken { line: error.line(), column: error.column() },
        };
        let skim = skim(text.as_bytes());
        Self { id: skim.id, is_reply: skim.is_reply, ..Self::new(UnreadableKind::NotJson, fault, text) }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Empty => f.write_str("an empty text instead of a message"),
            Fault::Cut => f.write_str("JSON that ends too early"),
            Fault::Broken { line: 1, column } => write!(f, "not JSON at column {column}"),
            Fault::Broken { line, column } => write!(f, "not JSON at line {line}, column {column}"),
            Fault::NotAnObject(what) => write!(f, "{what} instead of a JSON-RPC message"),
            Fault::EmptyBatch => f.write_str("an empty array instead of a JSON-RPC message"),
            Fault::BatchTooLong => write!(f, "a batch of more than {MAX_BATCH} messages"),
            Fault::TooDeep => write!(f, "a message nested deeper than {MAX_DEPTH} levels"),
            Fault::Foreign => f.write_str("a JSON object that is no JSON-RPC message"),
            Fault::OddId => f.write_str("a request whose id is neither an integer nor a string"),
            Fault::NoMethod => f.write_str("a JSON-RPC message without method, result or error"),
            Fault::OddMethod(what) => write!(f, "a JSON-RPC message whose method is {what}"),
            Fault::EmptyMethod => f.write_str("a JSON-RPC message whose method is empty"),
            Fault::OddError(what) => {
                write!(f, "a response whose error is {what} that says nothing")
            }
        }?;
        if let Some(id) = &self.id {
            write!(f, " (id {id})")?;
        }
        match &*self.excerpt {
            "" => Ok(()),
            excerpt => write!(f, ": {excerpt}"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Quotes the first words of a text so that a line of a log stays a line.
fn excerpt(text: &str) -> Box<str> {
    const LENGTH: usize = 60;
    let mut excerpt: String = text.chars().take(LENGTH).flat_map(quoted).collect();
    if text.chars().nth(LENGTH).is_some() {
        excerpt.push('…');
    }
    excerpt.into_boxed_str()
}

fn quoted(character: char) -> impl Iterator<Item = char> {
    // `escape_debug` alone would also put a backslash before every quote, and JSON is full of quotes.
    let verbatim = matches!(character, '"' | '\'' | '\\');
    let escaped = (!verbatim).then(|| character.escape_debug());
    escaped.into_iter().flatten().chain(verbatim.then_some(character))
}

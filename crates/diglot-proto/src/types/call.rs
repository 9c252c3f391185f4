//! The call of a tool, and what it returns.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::{Content, Members, TaskMetadata};

record! {
    /// The parameters of `tools/call`.
    CallToolParams {
        /// The name of the tool.
        required name: String = "name";
        /// The arguments, an object.
        checked arguments: Box<RawValue> as AnyObject = "arguments";
        /// What the client says to the requests of an earlier [`InputRequiredResult`](crate::types::InputRequiredResult).
        checked input_responses: Members = "inputResponses";
        /// The state that came with them, as it came.
        checked request_state: String = "requestState";
        /// Asks that the call run as a task, in revision 2025-11-25.
        optional task: TaskMetadata = "task";
    } with meta
}

record! {
    /// What a call of a tool returned (`server/tools`, "Calling Tools").
    ToolResult {
        /// The content for the model, in its order; empty where the server gave none.
        lenient content: Vec<Content> = "content";
        /// The structured result, as it came; since `2026-07-28` a `null` is a value like any other.
        optional structured: Box<RawValue> as AnyValue = "structuredContent";
        /// Whether the tool reports an error, for the model to act on.
        flag is_error: bool = "isError";
    } with result, meta, raw, left_out
}

impl ToolResult {
    /// Makes the result of a tool that failed, with what the model should know of it.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::from(text.into()).is_error(true)
    }

    /// Returns the text content, its pieces joined by line ends.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }

    /// Writes the result as JSON: the same text as its `Serialize` gives, with a faster writer for plain texts.
    ///
    /// # Errors
    ///
    /// A number somewhere in it is not finite.
    pub fn into_json(mut self) -> serde_json::Result<Vec<u8>> {
        const OPEN: &[u8] = b"{\"content\":[";
        let content = std::mem::take(&mut self.content);
        // The content comes first, and is empty now.
        let rest = serde_json::to_vec(&self)?;
        let rest = rest.strip_prefix(OPEN).unwrap_or(b"]}");
        let texts: usize = content.iter().filter_map(Content::as_text).map(|text| text.len() + 32).sum();
        let mut out = Vec::with_capacity(OPEN.len() + rest.len() + texts);
        out.extend_from_slice(OPEN);
        for (at, piece) in content.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            piece.push(&mut out)?;
        }
        out.extend_from_slice(rest);
        Ok(out)
    }

    /// Reads the result as a type: from the structured content, else from the text as JSON, else from the text.
    ///
    /// Servers that may only structure objects wrap other values as `{"result": …}`; such a wrapper is seen through.
    ///
    /// # Errors
    ///
    /// The tool reports an error, or its result has another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ParseResultError> {
        if self.is_error {
            return Err(ParseResultError::ToolFailed(self.text()));
        }
        let mut mismatch = None;
        if let Some(structured) = &self.structured {
            match serde_json::from_str(structured.get()) {
                Ok(value) => return Ok(value),
                Err(error) => mismatch = Some(error),
            }
            let wrapped = Object::read(structured).and_then(|object| object.parse::<&RawValue>("result"));
            if let Some(value) = wrapped.and_then(|inner| serde_json::from_str(inner.get()).ok()) {
                return Ok(value);
            }
        }
        let text = self.text();
        match serde_json::from_str(&text) {
            Ok(value) => Ok(value),
            Err(error) => {
                let as_string = serde_json::Value::String(text);
                let fault = mismatch.unwrap_or(error);
                serde_json::from_value(as_string).map_err(|_| ParseResultError::Mismatch(fault))
            }
        }
    }
}

impl From<&str> for ToolResult {
    fn from(text: &str) -> Self {
        Self::new([Content::text(text)])
    }
}

impl From<String> for ToolResult {
    fn from(text: String) -> Self {
        Self::new([Content::text(text)])
    }
}

/// Why a result cannot be read as the wanted type.
#[derive(Debug)]
#[non_exhaustive]
pub enum ParseResultError {
    /// The tool reports an error; this is its text.
    ToolFailed(String),
    /// The result has another shape.
    Mismatch(serde_json::Error),
}

impl fmt::Display for ParseResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolFailed(text) => write!(f, "the tool reports an error: {text}"),
            Self::Mismatch(_) => f.write_str("the tool's result has another shape than the wanted type"),
        }
    }
}

impl std::error::Error for ParseResultError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ToolFailed(_) => None,
            Self::Mismatch(error) => Some(error),
        }
    }
}

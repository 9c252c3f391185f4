//! A tool as a server lists it, and what a call of one returns.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::Content;

/// A tool that a server offers (`server/tools`, "Tool").
///
/// Schemas stay raw, so that their keywords, numbers and order survive.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// The name by which the tool is called.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does, for the model.
    pub description: Option<String>,
    /// The JSON Schema of the arguments; an object schema.
    pub input_schema: Box<RawValue>,
    /// The JSON Schema of the structured result, where the tool has one.
    pub output_schema: Option<Box<RawValue>>,
    /// The whole tool as it came.
    pub raw: Box<RawValue>,
}

/// Why an item of a list is left out: it lacks what no reader can do without.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The item's place in the list, over all pages, from 0.
    pub index: usize,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name:?} (item {}) is left out: {}", self.index, self.reason),
            None => write!(f, "item {} is left out: {}", self.index, self.reason),
        }
    }
}

impl Tool {
    /// Reads a tool leniently; `index` is its place in the list, for the report if it cannot be used.
    pub fn read(text: &RawValue, index: usize) -> Result<Self, LeftOut> {
        let left_out = |name, reason| LeftOut { index, name, reason };
        let object = Object::read(text).ok_or_else(|| left_out(None, "it is not an object"))?;
        let name = object.string("name").ok_or_else(|| left_out(None, "it has no name"))?;
        let input_schema = match object.member("inputSchema") {
            None => any_object(),
            Some(schema) if schema.get().starts_with('{') => schema.to_owned(),
            Some(_) => return Err(left_out(Some(name), "its inputSchema is not an object")),
        };
        Ok(Self {
            title: object.string("title"),
            description: object.string("description"),
            input_schema,
            output_schema: object.raw_object("outputSchema").map(ToOwned::to_owned),
            raw: text.to_owned(),
            name,
        })
    }
}

fn any_object() -> Box<RawValue> {
    RawValue::from_string(r#"{"type":"object"}"#.to_owned()).expect("the schema is JSON")
}

/// What a call of a tool returned (`server/tools`, "Calling Tools").
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolResult {
    /// The content for the model, in its order; empty where the server gave none.
    pub content: Vec<Content>,
    /// The structured result, as it came.
    pub structured: Option<Box<RawValue>>,
    /// Whether the tool reports an error, for the model to act on.
    pub is_error: bool,
    /// The whole result as it came.
    pub raw: Box<RawValue>,
}

impl ToolResult {
    /// Reads a result leniently, or nothing where it is not an object.
    pub fn read(result: Box<RawValue>) -> Option<Self> {
        let object = Object::read(&result)?;
        let content = object.array("content").unwrap_or_default();
        Some(Self {
            content: content.into_iter().map(Content::read).collect(),
            structured: structured(&object).map(ToOwned::to_owned),
            is_error: object.parse("isError").unwrap_or(false),
            raw: result.clone(),
        })
    }

    /// Returns the text content, its pieces joined by line ends.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }

    /// Reads the result as a type: from the structured content, else from the text as JSON, else from the text.
    ///
    /// Servers that may only structure objects wrap other values as `{"result": …}`; such a wrapper is seen through.
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

/// Returns the structured content; since `2026-07-28` an explicit `null` is a value like any other.
fn structured<'a>(object: &Object<'a>) -> Option<&'a RawValue> {
    object.iter().filter(|(name, _)| *name == "structuredContent").map(|(_, value)| value).last()
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

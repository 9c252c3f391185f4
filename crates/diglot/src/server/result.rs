//! What handlers may return, and what it becomes.

use diglot_proto::types::{
    Content, GetPromptResult, PromptMessage, ReadResourceResult, ResourceContents, ToolResult,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::server::ToolError;
use crate::server::arguments::schema_of;

/// Something that a tool may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    note = "it returns a text, a number, `Json<T>`, `Content`, `ToolResult`, or a `Result` of one of these"
)]
pub trait IntoToolResult: Send {
    /// Turns it into a result, or into a failure.
    fn into_tool_result(self) -> Result<ToolResult, ToolError>;

    /// Returns the JSON Schema of the structured result, where the type has one.
    fn output_schema() -> Option<Box<RawValue>> {
        None
    }
}

/// A structured result: any type that serialises, with its schema told to clients.
///
/// The model gets the same JSON as text. Clients before `2026-07-28` take only objects as structured results, so
/// for them any other value is the text alone.
// exhaustive: users take it apart as a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema + Send> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        let raw = to_raw_value(&self.0)?;
        Ok(ToolResult::new([Content::text(raw.get())]).structured(raw))
    }

    fn output_schema() -> Option<Box<RawValue>> {
        Some(schema_of::<T>())
    }
}

impl<T> Json<T> {
    /// Gives the model a text of its own in place of the JSON.
    ///
    /// ```
    /// use diglot::server::{Json, JsonWithText};
    /// # use diglot::{Context, Tool, schemars::JsonSchema};
    /// # use serde::Serialize;
    ///
    /// #[derive(Serialize, JsonSchema)]
    /// # #[schemars(crate = "diglot::schemars")]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// async fn answer(_: Context) -> JsonWithText<Sum> {
    ///     Json(Sum { sum: 42 }).with_text("42")
    /// }
    /// # drop(Tool::new("answer", answer));
    /// ```
    pub fn with_text(self, text: impl Into<String>) -> JsonWithText<T> {
        self.with_content([Content::text(text)])
    }

    /// Gives the model content of its own, such as a picture, in place of the JSON.
    pub fn with_content(self, content: impl Into<Vec<Content>>) -> JsonWithText<T> {
        JsonWithText { value: self.0, content: content.into() }
    }
}

/// A structured result with other content for the model, as [`Json::with_text`] makes it.
#[derive(Clone, Debug)]
pub struct JsonWithText<T> {
    value: T,
    content: Vec<Content>,
}

impl<T: Serialize + JsonSchema + Send> IntoToolResult for JsonWithText<T> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new(self.content).structured(to_raw_value(&self.value)?))
    }

    fn output_schema() -> Option<Box<RawValue>> {
        Json::<T>::output_schema()
    }
}

impl<T: IntoToolResult, E: Into<ToolError> + Send> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        self.map_err(Into::into)?.into_tool_result()
    }

    fn output_schema() -> Option<Box<RawValue>> {
        T::output_schema()
    }
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new([]))
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new([self]))
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new(self))
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self.into())
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self.into())
    }
}

/// Plain values become their text.
macro_rules! as_text {
    ($($type:ty),+) => {
        $(impl IntoToolResult for $type {
            fn into_tool_result(self) -> Result<ToolResult, ToolError> {
                Ok(self.to_string().into())
            }
        })+
    };
}

as_text!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, bool, char);

/// Something that a prompt may return.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    note = "it returns a text, `PromptMessage`, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoPrompt: Send {
    /// Turns it into a prompt, or into a failure.
    fn into_prompt(self) -> Result<GetPromptResult, ToolError>;
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoPrompt for PromptMessage {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new([self]))
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_prompt()
    }
}

impl<T: IntoPrompt, E: Into<ToolError> + Send> IntoPrompt for Result<T, E> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.map_err(Into::into)?.into_prompt()
    }
}

/// Something that a resource may return; `uri` is the address that was read.
pub trait IntoResource: Send {
    /// Turns it into the contents of a resource, or into a failure.
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError>;
}

impl IntoResource for ReadResourceResult {
    fn into_resource(self, _uri: &str, _mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(self)
    }
}

impl IntoResource for ResourceContents {
    fn into_resource(self, _uri: &str, _mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult::new([self]))
    }
}

impl IntoResource for String {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let contents = ResourceContents::text(uri, self);
        Ok(ReadResourceResult::new([contents.mime_type(mime_type.unwrap_or("text/plain"))]))
    }
}

impl IntoResource for &'static str {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.to_owned().into_resource(uri, mime_type)
    }
}

impl<T: IntoResource, E: Into<ToolError> + Send> IntoResource for Result<T, E> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.map_err(Into::into)?.into_resource(uri, mime_type)
    }
}

//! What the attributes of `diglot-macros` write down, so that users depend on Diglot alone. It may change at any time.

pub use {schemars, serde};

use diglot_proto::types::GetPromptResult;

use crate::server::{IntoPrompt, IntoToolResult, ToolError};

/// Returns what a tool returned, which only compiles where a tool may return it.
pub fn tool_result<R: IntoToolResult>(result: R) -> R {
    result
}

/// Turns what a prompt returned into a prompt.
pub fn prompt<R: IntoPrompt>(result: R) -> Result<GetPromptResult, ToolError> {
    result.into_prompt()
}

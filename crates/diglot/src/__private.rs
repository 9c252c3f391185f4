//! What the attributes of `diglot-macros` write down, so that users depend on Diglot alone. It may change at any time.

pub use {schemars, serde};

use crate::server::{IntoPrompt, IntoToolResult, ToolError};
use crate::types::GetPromptResult;

/// Returns what a tool returned, which only compiles where a tool may return it.
pub fn tool_result<R: IntoToolResult>(result: R) -> R {
    result
}

/// Turns what a prompt returned into a prompt.
pub fn prompt<R: IntoPrompt>(result: R) -> Result<GetPromptResult, ToolError> {
    result.into_prompt()
}

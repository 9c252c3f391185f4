//! Scenarios about tools.

use serde_json::json;

use crate::case::{Case, Failure, equal, text};

/// Lists, and calls the one tool with numbers.
pub(crate) async fn call(case: Case) -> Result<(), Failure> {
    const TOOL: &str = "add_numbers";
    let client = case.connect(case.client()).await?;
    client.list_tools().await?.find(TOOL).ok_or("the tool is not listed")?;
    let sum = text(&client.call_tool(TOOL, json!({ "a": 5, "b": 3 })).await?)?;
    equal("whether the answer has the sum", &sum.contains('8'), &true)?;
    client.close().await;
    Ok(())
}

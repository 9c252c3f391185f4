//! Scenarios about event streams.

use crate::case::{Case, Failure, equal, text};

/// Calls a tool whose stream ends before its answer, which is to be fetched after the pause that the server asked for.
pub(crate) async fn retry(case: Case) -> Result<(), Failure> {
    const TOOL: &str = "test_reconnection";
    let client = case.connect(case.client()).await?;
    client.list_tools().await?.find(TOOL).ok_or("the tool is not listed")?;
    let answer = text(&client.call_tool(TOOL, ()).await?)?;
    equal("whether the answer is empty", &answer.is_empty(), &false)?;
    client.close().await;
    Ok(())
}

//! Scenarios about the schemas of tools.

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::case::{Case, Failure, text};

/// Lists a tool whose schema refers to another address, which nobody may fetch.
pub(crate) async fn no_dereference(case: Case) -> Result<(), Failure> {
    let client = case.connect_to_any(case.client()).await?;
    if client.list_tools().await?.is_empty() {
        return Err("no tool is listed".into());
    }
    client.close().await;
    Ok(())
}

/// Sends a schema back as it came.
pub(crate) async fn preservation(case: Case) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Echo<'a> {
        schema: &'a serde_json::value::RawValue,
    }
    let client = case.connect(case.client()).await?;
    let tools = client.list_tools().await?;
    let tool = tools.find("json_schema_2020_12_tool").ok_or("the tool with the schema is not listed")?;
    let arguments = to_raw_value(&Echo { schema: &tool.input_schema })?;
    text(&client.call_tool("json_schema_echo", arguments).await?)?;
    client.close().await;
    Ok(())
}

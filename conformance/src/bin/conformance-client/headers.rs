//! Scenarios about the headers that mirror a request.

use std::collections::BTreeSet;

use diglot::types::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::case::{Case, Failure, equal, text};

/// Sends every method that has a name to mirror, and the lists.
pub(crate) async fn standard(case: Case) -> Result<(), Failure> {
    let client = case.connect(case.client()).await?;
    for tool in client.list_tools().await? {
        text(&client.call_tool(tool.name, json!({})).await?)?;
    }
    let resources = client.list_resources().await?;
    let resource = resources.first().ok_or("no resource is listed")?;
    client.read_resource(&resource.uri).await?;
    let prompts = client.list_prompts().await?;
    let prompt = prompts.first().ok_or("no prompt is listed")?;
    client.prompt(&prompt.name, ()).await?;
    client.close().await;
    Ok(())
}

/// Makes the calls that the scenario names, of tools whose arguments are mirrored.
pub(crate) async fn custom(case: Case) -> Result<(), Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Context {
        tool_calls: Vec<Call>,
    }
    #[derive(Deserialize)]
    struct Call {
        name: String,
        arguments: Box<RawValue>,
    }
    let Context { tool_calls } = Context::deserialize(&case.context)?;
    let client = case.connect(case.client()).await?;
    let tools = client.list_tools().await?;
    equal("how many calls the scenario names", &tool_calls.len(), &2)?;
    for Call { name, arguments } in tool_calls {
        tools.find(&name).ok_or_else(|| format!("the tool {name} is not listed"))?;
        text(&client.call_tool(name, arguments).await?)?;
    }
    client.close().await;
    Ok(())
}

/// Calls every tool that is offered, which none of those is whose annotations break the rules.
pub(crate) async fn invalid(case: Case) -> Result<(), Failure> {
    let client = case.connect(case.client()).await?;
    let tools = client.list_tools().await?;
    for tool in tools.iter() {
        text(&client.call_tool(&tool.name, arguments(tool)?).await?)?;
    }
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    equal("the tools that are offered", &names, &BTreeSet::from(["valid_tool"]))?;
    equal("how many tools are left out", &tools.left_out.len(), &11)?;
    client.close().await;
    Ok(())
}

/// Makes arguments of the types that a tool wants.
fn arguments(tool: &Tool) -> Result<Value, Failure> {
    let schema: Value = serde_json::from_str(tool.input_schema.get())?;
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let value = |property: &Value| match property.get("type").and_then(Value::as_str) {
        Some("string") => json!("text"),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => Value::Null,
    };
    Ok(properties.iter().map(|(name, property)| (name.clone(), value(property))).collect())
}

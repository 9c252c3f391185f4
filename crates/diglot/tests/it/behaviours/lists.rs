//! What a server lists.

use diglot::Client;

/// The names of the tools, in the order of the server.
const TOOLS: [&str; 16] = [
    "add",
    "weather",
    "shout",
    "echo",
    "several",
    "count",
    "meet",
    "hang",
    "was_cancelled",
    "fail",
    "panic",
    "confirm",
    "sample",
    "roots",
    "both",
    "grow",
];

async fn tools(client: &Client) -> Vec<String> {
    client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect()
}

pub(super) async fn all_tools_are_listed_over_all_pages(client: Client) {
    let list = client.list_tools().await.unwrap();
    assert_eq!(list.pages, 4);
    assert!(list.left_out.is_empty());
    assert_eq!(list.len(), TOOLS.len());
}

pub(super) async fn a_tool_is_described(client: Client) {
    let list = client.list_tools().await.unwrap();
    let add = list.find("add").unwrap();
    assert_eq!(add.description.as_deref(), Some("Adds"));
    assert!(add.input_schema.get().contains(r#""required":["a","b"]"#), "{}", add.input_schema);
}

pub(super) async fn all_resources_are_listed(client: Client) {
    let list = client.list_resources().await.unwrap();
    let addresses: Vec<_> = list.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(addresses, ["demo://text", "demo://bytes"]);
}

pub(super) async fn all_templates_are_listed(client: Client) {
    let list = client.list_resource_templates().await.unwrap();
    assert_eq!(list[0].uri_template, "demo://notes/{topic}");
    assert_eq!(list.len(), 1);
}

pub(super) async fn all_prompts_are_listed_with_their_arguments(client: Client) {
    let list = client.list_prompts().await.unwrap();
    let names: Vec<_> = list.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["greet", "talk", "ask"]);
    let argument = &list.find("greet").unwrap().arguments[0];
    assert_eq!((argument.name.as_str(), argument.required), ("name", true));
}

pub(super) async fn lists_keep_their_order(client: Client) {
    assert_eq!(tools(&client).await, TOOLS);
    assert_eq!(tools(&client).await, TOOLS);
}

pub(super) async fn a_tool_that_comes_is_listed(client: Client) {
    client.call_tool("grow", ()).await.unwrap();
    assert_eq!(tools(&client).await.last().map(String::as_str), Some("grown"));
    assert_eq!(client.call_tool("grown", ()).await.unwrap().text(), "I am new");
}

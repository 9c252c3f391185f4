//! What a server wants to know before it answers.

use diglot::Client;
use serde_json::json;

async fn text(client: &Client, tool: &str) -> String {
    client.call_tool(tool, ()).await.unwrap().text()
}

pub(super) async fn the_user_confirms(client: Client) {
    assert_eq!(text(&client, "confirm").await, "confirmed: true");
}

pub(super) async fn the_model_answers(client: Client) {
    assert_eq!(text(&client, "sample").await, "the model is first");
}

pub(super) async fn the_roots_are_told(client: Client) {
    assert_eq!(text(&client, "roots").await, "file:///home file:///tmp");
}

pub(super) async fn questions_are_asked_one_after_the_other(client: Client) {
    assert_eq!(text(&client, "both").await, "first 2 second");
}

pub(super) async fn a_prompt_may_ask_too(client: Client) {
    let prompt = client.prompt("ask", json!({})).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("There are 2 roots."));
}

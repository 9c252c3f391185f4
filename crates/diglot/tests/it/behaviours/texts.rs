//! What a server says of itself, its prompts and its resources.

use diglot::Client;
use serde_json::json;

pub(super) async fn the_server_says_who_it_is(client: Client) {
    let server = client.server().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("behaviours", "1.2.3"));
}

pub(super) async fn its_instructions_are_there(client: Client) {
    assert_eq!(client.instructions().as_deref(), Some("Be kind."));
}

pub(super) async fn what_it_offers_is_declared(client: Client) {
    let capabilities = client.capabilities();
    assert!(capabilities.tools.is_some());
    assert!(capabilities.resources.is_some());
    assert!(capabilities.prompts.is_some());
}

pub(super) async fn how_it_was_agreed_on_can_be_told(client: Client) {
    let told = client.negotiation().to_string();
    assert!(told.contains(client.revision().as_str()), "{told}");
    assert_eq!(client.era(), client.revision().era());
    assert!(client.supported_versions().iter().any(|version| version == client.revision().as_str()));
}

pub(super) async fn a_ping_is_answered(client: Client) {
    client.ping().await.unwrap();
}

pub(super) async fn a_custom_request_is_answered_raw(client: Client) {
    let params = serde_json::value::to_raw_value(&json!({"uri": "demo://text"})).unwrap();
    let result = client.request("resources/read", Some(params)).await.unwrap();
    assert!(result.get().contains("some text"), "{result}");
}

pub(super) async fn a_prompt_argument_is_completed(client: Client) {
    let completion = client.complete_prompt("greet", "name", "A").await.unwrap();
    assert_eq!(completion.values, ["Ada", "Alan"]);
}

pub(super) async fn a_template_variable_is_completed(client: Client) {
    let completion = client.complete_template("demo://notes/{topic}", "topic", "mo").await.unwrap();
    assert_eq!(completion.values, ["moon", "mouse"]);
}

pub(super) async fn a_prompt_is_filled(client: Client) {
    let prompt = client.prompt("greet", json!({"name": "Ada"})).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("Greet Ada."));
}

pub(super) async fn a_prompt_can_be_of_several_messages(client: Client) {
    let prompt = client.prompt("talk", ()).await.unwrap();
    let texts: Vec<_> = prompt.messages.iter().filter_map(|message| message.content.as_text()).collect();
    assert_eq!(texts, ["Hello", "Hello yourself"]);
}

pub(super) async fn a_text_is_read(client: Client) {
    let read = client.read_resource("demo://text").await.unwrap();
    assert_eq!(read.contents[0].as_text(), Some("some text"));
}

pub(super) async fn bytes_are_read(client: Client) {
    let read = client.read_resource("demo://bytes").await.unwrap();
    assert_eq!(read.contents[0].as_blob(), Some("AAEC"));
}

pub(super) async fn a_template_is_read(client: Client) {
    let read = client.read_resource("demo://notes/rain").await.unwrap();
    assert_eq!(read.contents[0].as_text(), Some("a note on rain"));
}

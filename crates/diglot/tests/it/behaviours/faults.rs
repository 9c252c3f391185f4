//! What goes wrong, and who is told.

use std::time::Duration;

use diglot::jsonrpc::{RpcError, codes};
use diglot::{Client, Error};
use serde_json::json;

fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> RpcError {
    match outcome {
        Err(Error::Rpc(error)) => *error,
        other => panic!("instead of an error of the server: {other:?}"),
    }
}

/// The client goes on after whatever happened.
async fn goes_on(client: &Client) {
    assert_eq!(client.call_tool("shout", json!({"text": "still here"})).await.unwrap().text(), "still here");
}

pub(super) async fn a_tool_that_fails_is_no_error_of_the_call(client: Client) {
    let result = client.call_tool("fail", ()).await.unwrap();
    assert!(result.is_error);
    assert_eq!(result.text(), "no luck");
}

pub(super) async fn a_wrong_argument_is_named_to_the_model(client: Client) {
    let result = client.call_tool("add", json!({"a": 1, "b": "two"})).await.unwrap();
    assert!(result.is_error);
    assert!(result.text().contains("/b"), "{}", result.text());
    goes_on(&client).await;
}

pub(super) async fn an_unknown_tool_is_an_error(client: Client) {
    let error = refusal(client.call_tool("nothing", ()).await);
    assert_eq!(error.code, codes::INVALID_PARAMS);
    assert!(error.message.contains("nothing"), "{error}");
    goes_on(&client).await;
}

pub(super) async fn an_unknown_method_is_an_error(client: Client) {
    assert_eq!(refusal(client.request("demo/nothing", None).await).code, codes::METHOD_NOT_FOUND);
    goes_on(&client).await;
}

pub(super) async fn an_unknown_resource_is_an_error_with_its_address(client: Client) {
    let error = refusal(client.read_resource("demo://nothing").await);
    assert!(error.data.unwrap().get().contains("demo://nothing"));
}

pub(super) async fn a_prompt_without_its_argument_is_an_error(client: Client) {
    let error = refusal(client.prompt("greet", ()).await);
    assert_eq!(error.code, codes::INVALID_PARAMS);
    assert!(error.message.contains("name"), "{error}");
}

pub(super) async fn a_handler_that_panics_fails_its_call_alone(client: Client) {
    assert_eq!(refusal(client.call_tool("panic", ()).await).code, codes::INTERNAL_ERROR);
    goes_on(&client).await;
}

pub(super) async fn a_call_that_takes_too_long_ends_by_its_own_budget(client: Client) {
    let outcome = client.call_tool("hang", ()).timeout(Duration::from_millis(20)).await;
    assert!(matches!(outcome, Err(Error::Timeout(_))), "{outcome:?}");
    goes_on(&client).await;
}

/// The server itself says so, in a call that waits for it.
pub(super) async fn a_call_that_is_dropped_is_cancelled_at_the_server(client: Client) {
    let outcome = client.call_tool("hang", ()).timeout(Duration::from_millis(20)).await;
    assert!(outcome.is_err());
    assert_eq!(client.call_tool("was_cancelled", ()).await.unwrap().text(), "cancelled");
}

pub(super) async fn a_closed_client_says_so(client: Client) {
    client.close().await;
    let outcome = client.call_tool("shout", json!({"text": "anyone?"})).await;
    assert!(matches!(outcome, Err(Error::Closed | Error::Transport(_))), "{outcome:?}");
}

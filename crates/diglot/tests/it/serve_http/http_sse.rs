//! The deprecated HTTP+SSE transport, message by message.

use diglot::http::{Body, HttpService};
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use super::desk::{
    Answer, Desk, all_shown, ask_for, bare, initialize, legacy, legacy_call, messages, modern, next, post,
    send,
};

fn service(desk: &Desk) -> HttpService {
    desk.service().http_sse("/sse", "/messages")
}

/// Opens the stream; returns it with the address of messages.
async fn open(service: &HttpService) -> (Body, String) {
    let mut request = bare("GET", &[("accept", "text/event-stream")]);
    *request.uri_mut() = "/sse".parse().unwrap();
    let response = send(service, request).await;
    assert_eq!(response.status(), 200);
    let mut body = response.into_body();
    let first = next(&mut body).await;
    let address = first.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    assert!(address.starts_with("/messages?sessionId="), "{address}");
    (body, address)
}

async fn say(service: &HttpService, address: &str, message: &Value) -> Answer {
    let mut request: Request<Full<_>> = post(message, &[]);
    *request.uri_mut() = address.parse().unwrap();
    ask_for(service, request).await
}

#[tokio::test]
async fn answers_and_questions_come_over_the_stream() {
    let desk = Desk::new();
    let service = service(&desk);
    let (mut stream, address) = open(&service).await;
    let accepted = say(&service, &address, &initialize("2025-06-18")).await;
    assert_eq!((accepted.status, accepted.text.as_str()), (202, ""));
    let answer = messages(&next(&mut stream).await).remove(0);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    say(&service, &address, &legacy_call(1, "ask")).await;
    let question = messages(&next(&mut stream).await).remove(0);
    assert_eq!(question["method"], "elicitation/create");
    let result = json!({ "action": "accept", "content": { "yes": true } });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
    assert_eq!(say(&service, &address, &answer).await.status, 202);
    let answer = messages(&next(&mut stream).await).remove(0);
    assert_eq!(answer["result"]["content"][0]["text"], "confirmed");
    desk.server.remove_tool("chat");
    assert_eq!(all_shown(&messages(&next(&mut stream).await)), ["notifications/tools/list_changed"]);
    say(&service, &address, &legacy(2, "unknown", json!({}))).await;
    assert_eq!(all_shown(&messages(&next(&mut stream).await)), ["error -32601"]);
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_session() {
    let desk = Desk::new();
    let service = service(&desk);
    let (mut stream, address) = open(&service).await;
    say(&service, &address, &initialize("2024-11-05")).await;
    next(&mut stream).await;
    say(&service, &address, &legacy_call(1, "wait")).await;
    desk.is_waiting(1).await;
    drop(stream);
    desk.has_dropped(1).await;
    assert_eq!(say(&service, &address, &legacy(2, "ping", json!({}))).await.status, 404);
}

#[tokio::test]
async fn a_withdrawn_request_is_dropped() {
    let desk = Desk::new();
    let service = service(&desk);
    let (mut stream, address) = open(&service).await;
    say(&service, &address, &initialize("2024-11-05")).await;
    next(&mut stream).await;
    say(&service, &address, &legacy_call(1, "wait")).await;
    desk.is_waiting(1).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert_eq!(say(&service, &address, &cancel).await.status, 202);
    desk.has_dropped(1).await;
    say(&service, &address, &legacy(2, "ping", json!({}))).await;
    assert_eq!(all_shown(&messages(&next(&mut stream).await)), ["result 2"]);
}

#[tokio::test]
async fn what_does_not_belong_there_is_refused() {
    let service = service(&Desk::new());
    let (_stream, address) = open(&service).await;
    assert_eq!(say(&service, "/messages", &legacy(1, "ping", json!({}))).await.status, 400);
    assert_eq!(say(&service, "/messages?sessionId=x", &legacy(1, "ping", json!({}))).await.status, 404);
    assert_eq!(say(&service, &address, &modern(1, "tools/list", json!({}))).await.status, 400);
    assert_eq!(say(&service, &address, &json!([])).await.status, 400);
    let refused = say(&service, "/sse", &initialize("2024-11-05")).await;
    assert_eq!((refused.status, refused.header("allow")), (405, Some("GET")));
}

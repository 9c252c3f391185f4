//! What the demo server offers, as clients of both eras get it.

use diglot::transport::MemoryTransport;
use diglot::types::{ElicitParams, ElicitResult};
use diglot::{Client, Mode};
use serde_json::json;

use super::offer;

/// Connects a client of each era to a server of its own.
async fn clients() -> [Client; 2] {
    [connect(Mode::Modern).await, connect(Mode::Legacy).await]
}

async fn connect(mode: Mode) -> Client {
    let transport = MemoryTransport::new(|| {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(offer::server().serve_pipe(reader, writer));
        client
    });
    let builder = Client::builder("test", "0").mode(mode);
    let builder = builder.on_elicitation(|_: ElicitParams| async { ElicitResult::decline() });
    builder.connect(transport).await.unwrap()
}

#[tokio::test]
async fn the_sum_is_text_and_structure() {
    for client in clients().await {
        let result = client.call_tool("add", json!({ "a": 2, "b": 3 })).await.unwrap();
        assert_eq!(result.text(), "5");
        assert_eq!(result.structured.as_ref().unwrap().get(), r#"{"sum":5}"#);
        let result = client.call_tool("add", json!({ "a": i64::MAX, "b": 1 })).await.unwrap();
        assert!(result.is_error);
    }
}

#[tokio::test(start_paused = true)]
async fn counting_tells_its_progress() {
    for client in clients().await {
        let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
        let call = client.call_tool("count", json!({ "to": 3 }));
        let result = call.on_progress(move |progress| sender.send(progress.progress).unwrap()).await.unwrap();
        assert_eq!(result.text(), "counted to 3");
        let mut seen = Vec::new();
        while let Ok(progress) = told.try_recv() {
            seen.push(progress);
        }
        assert_eq!(seen, [1.0, 2.0, 3.0]);
    }
}

#[tokio::test]
async fn a_failure_is_told_to_the_model() {
    for client in clients().await {
        let result = client.call_tool("fail", json!({ "message": "no luck" })).await.unwrap();
        assert_eq!((result.text().as_str(), result.is_error), ("no luck", true));
        let result = client.call_tool("confirm", json!({})).await.unwrap();
        assert!(result.is_error, "the user declined");
    }
}

#[tokio::test]
async fn the_clock_moves_when_it_is_told_to() {
    for client in clients().await {
        let read = async || {
            let read = client.read_resource("demo://clock").await.unwrap();
            read.contents[0].as_text().unwrap().to_owned()
        };
        assert_eq!(read().await, "The clock has not ticked yet.");
        client.call_tool("tick", json!({})).await.unwrap();
        assert_eq!(read().await, "The clock has ticked once.");
    }
}

#[tokio::test]
async fn notes_are_found_by_their_names_which_complete() {
    for client in clients().await {
        let names = client.complete_template("demo://notes/{name}", "name", "W").await.unwrap().values;
        assert_eq!(names, ["welcome"]);
        let note = client.read_resource("demo://notes/welcome").await.unwrap();
        assert!(note.contents[0].as_text().unwrap().contains("both eras"));
        assert!(client.read_resource("demo://notes/nothing").await.is_err());
    }
}

#[tokio::test]
async fn the_prompt_names_who_is_greeted() {
    for client in clients().await {
        let prompt = client.prompt("greet", json!({ "name": "Ada" })).await.unwrap();
        assert!(prompt.messages[0].content.as_text().unwrap().contains("Ada"));
        assert_eq!(client.complete_prompt("greet", "name", "a").await.unwrap().values, ["Ada", "Alan"]);
    }
}

//! What a handler's failure becomes on the wire, in each era.

use diglot::server::{ResourceTemplate, Server};
use diglot::{Context, Tool, ToolError};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

async fn greet(cx: Context) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("who", "Who is it?").await?;
    Ok(format!("Hello, {name}!"))
}

async fn nothing(uri: String, _: Context) -> Result<String, ToolError> {
    Err(ToolError::resource_not_found(uri))
}

/// Sends messages to a server and returns what it answers to the last one.
async fn last_answer(messages: &[Value]) -> Value {
    let server = Server::new("s", "0")
        .tool(Tool::new("greet", greet))
        .resource_template(ResourceTemplate::new("t://{id}", "t", nothing));
    let (client, end) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(end);
    let serving = tokio::spawn(server.serve_pipe(reader, writer));
    let (reader, mut writer) = tokio::io::split(client);
    for message in messages {
        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    writer.shutdown().await.unwrap();
    let mut lines = BufReader::new(reader).lines();
    let mut last = None;
    while let Some(line) = lines.next_line().await.unwrap() {
        last = Some(line);
    }
    serving.await.unwrap().unwrap();
    serde_json::from_str(&last.unwrap()).unwrap()
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

#[tokio::test]
async fn an_input_response_that_is_no_answer_is_a_bad_parameter() {
    let call = |responses: Value| json!({ "name": "greet", "inputResponses": responses });
    for bad in [json!({ "who": 12345 }), json!({ "who": {} }), json!({ "who": { "action": 1 } })] {
        let answer = last_answer(&[modern("tools/call", call(bad))]).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let unfit = json!({ "who": { "action": "accept", "content": { "name": 1 } } });
    let answer = last_answer(&[modern("tools/call", call(unfit))]).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
}

#[tokio::test]
async fn a_resource_that_is_not_there_has_the_code_of_the_era() {
    let read = json!({ "uri": "t://7" });
    let answer = last_answer(&[modern("resources/read", read.clone())]).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["data"]["uri"], "t://7", "{answer}");

    let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "0" } } });
    let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": read });
    let answer = last_answer(&[opening, read]).await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
}

//! A client's end of a server's pipe, played by hand.

use diglot::{Server, Tool};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Sends one modern request to a server and returns the whole answer.
pub(crate) async fn ask(server: Server, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (mut client, end) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(end);
    let serving = tokio::spawn(server.serve_pipe(reader, writer));
    client.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    let mut line = String::new();
    BufReader::new(&mut client).read_line(&mut line).await.unwrap();
    drop(client);
    serving.await.unwrap().unwrap();
    serde_json::from_str(&line).unwrap()
}

/// Calls a tool and returns its text, where it failed behind a mark.
pub(crate) async fn call(server: Server, name: &str, arguments: Value) -> String {
    let answer = ask(server, "tools/call", json!({ "name": name, "arguments": arguments })).await;
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    if result["isError"] == true { format!("failed: {text}") } else { text.to_owned() }
}

/// Gets a prompt and returns the text of its first message.
pub(crate) async fn prompt(server: Server, name: &str, arguments: Value) -> String {
    let answer = ask(server, "prompts/get", json!({ "name": name, "arguments": arguments })).await;
    let text = answer["result"]["messages"][0]["content"]["text"].as_str();
    text.map_or_else(|| answer["error"].to_string(), str::to_owned)
}

/// Returns the definition of a tool.
pub(crate) fn told(tool: &Tool) -> Value {
    serde_json::to_value(tool.definition()).unwrap()
}

//! A server and a client that speak HTTP over a Unix socket. Run: `cargo run -p diglot --example unix_socket`.

#![expect(clippy::print_stdout, reason = "an example talks to its user")]

/// Serves at a path, and calls the tool there.
#[cfg(unix)]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    use diglot::http::HttpServer;
    use diglot::{Client, Context, Server, StreamableHttp, Tool};
    use serde_json::json;

    let path = std::env::temp_dir().join(format!("diglot-{}.sock", std::process::id()));
    let server = Server::new("local", "1.0.0")
        .tool(Tool::new("hello", |_: Context| async { "Hello over a Unix socket." }));
    let serving = tokio::spawn(HttpServer::bind_unix(server, &path).await?.serve());

    let client = Client::builder("example", "1.0.0").connect(StreamableHttp::unix(&path, "/mcp")?).await?;
    println!("{}: {}", client.revision(), client.call_tool("hello", json!({})).await?.text());
    client.close().await;
    // The server removes its socket when it goes.
    serving.abort();
    Ok(())
}

/// Says that there are no Unix sockets here.
#[cfg(not(unix))]
fn main() {
    println!("this example needs Unix sockets");
}

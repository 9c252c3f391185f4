//! Fifty typed tools on Diglot, in the ordinary way: `http`, `axum` or `stdio`.

use std::error::Error;
use std::sync::OnceLock;

use axum::serve::ListenerExt as _;
use diglot::http::HttpServer;
use diglot::server::{Context, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// What to say.
#[derive(Deserialize, JsonSchema)]
struct Say {
    /// The text.
    #[schemars(length(max = 100_000))]
    text: String,
    /// How many times.
    #[schemars(range(min = 1, max = 100))]
    count: u32,
}

async fn say(Say { text, count }: Say, _: Context) -> String {
    match count {
        1 => text,
        count => text.repeat(count as usize),
    }
}

/// The server, for the tool that changes it.
static SERVER: OnceLock<Server> = OnceLock::new();

/// Tells everyone who listens of a change: a tool is put in its own place again.
async fn touch(_: Context) -> &'static str {
    if let Some(server) = SERVER.get() {
        // Its schema was good the first time.
        let _ = server.add_tool(Tool::new("tool_48", say));
    }
    "touched"
}

fn server() -> Server {
    let mut server = Server::new("bench", "0.0.0");
    for number in 0..49 {
        let tool = Tool::new(format!("tool_{number:02}"), say);
        server = server.tool(tool.description("Says a text a number of times"));
    }
    let server = server.tool(Tool::new("touch", touch));
    SERVER.get_or_init(|| server).clone()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("http") => {
            let listener = HttpServer::bind(server(), ([127, 0, 0, 1], 0)).await?;
            println!("{}", listener.local_addr().ok_or("no address")?);
            listener.serve().await?;
        }
        Some("axum") => {
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
            println!("{}", listener.local_addr()?);
            let routes = axum::Router::new().route_service("/mcp", server().into_http_service());
            let listener = listener.tap_io(|stream| {
                // It only costs time if it fails.
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, routes).await?;
        }
        Some("stdio") => server().serve_stdio().await?,
        _ => return Err("usage: ours http | axum | stdio".into()),
    }
    Ok(())
}

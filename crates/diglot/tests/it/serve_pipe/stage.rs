//! The server that the tests serve, and a client's end of its pipe, played by hand.

use diglot::server::Server;
use diglot::transport::MemoryTransport;
use diglot::{Context, Tool, ToolError};
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema)]
pub(crate) struct Pair {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

async fn divide(Pair { a, b }: Pair, _: Context) -> Result<i64, ToolError> {
    a.checked_div(b).ok_or_else(|| ToolError::new("cannot divide by zero"))
}

/// A server with one tool.
pub(crate) fn calculator() -> Server {
    Server::new("calculator", "1.2.3").tool(Tool::new("divide", divide))
}

/// A transport that serves every connection by a server's own pipe.
pub(crate) fn in_memory(server: Server) -> MemoryTransport {
    MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        client
    })
}

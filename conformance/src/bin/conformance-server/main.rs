//! The server that the official conformance suite is run against: one process, one endpoint, every revision.
//!
//! `conformance-server [--port PORT]` prints the address of the endpoint and serves until it is killed. What it offers is
//! what the suite's scenarios ask for; a room here is a kind of scenario.

mod asking;
mod changes;
mod content;
mod prompts;
mod resources;
mod rounds;
mod samples;
mod schemas;
mod skills;
mod tasks;

use std::io::Write;

use diglot::Server;
use diglot::http::HttpServer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = port(std::env::args().skip(1))?;
    let listener = HttpServer::bind(server(), ([127, 0, 0, 1], port)).await?;
    writeln!(std::io::stdout(), "{}", listener.url())?;
    Ok(listener.serve().await?)
}

/// Reads the port; without one the system chooses.
fn port(words: impl Iterator<Item = String>) -> Result<u16, String> {
    let words: Vec<String> = words.collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(0),
        ["--port", port] => port.parse().map_err(|error| format!("{port:?} is no port: {error}")),
        _ => Err("usage: conformance-server [--port PORT]".to_owned()),
    }
}

fn server() -> Server {
    let parts = [
        content::add_to,
        asking::add_to,
        rounds::add_to,
        schemas::add_to,
        changes::add_to,
        prompts::add_to,
        resources::add_to,
        skills::add_to,
        tasks::add_to,
    ];
    parts.iter().fold(Server::new("diglot-conformance", env!("CARGO_PKG_VERSION")), |server, add| add(server))
}

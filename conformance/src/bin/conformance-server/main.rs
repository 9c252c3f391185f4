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

use diglot::Server;

fn main() {
    let server = server();
    drop(server);
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
    ];
    parts.iter().fold(Server::new("diglot-conformance", env!("CARGO_PKG_VERSION")), |server, add| add(server))
}

//! Calls over the pipes of a server that the client starts.

use crate::Failure;
use crate::client::told;
use crate::peers::{OURS_STDIO, Peer};

pub(super) fn sequential(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|server| told::cpu(peer, server, "calls"))
}

pub(super) fn at_once(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|server| told::cpu(peer, server, "at-once 64"))
}

pub(super) fn counted(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|server| told::counted(peer, server, "at-once 64"))
}

/// Names the server, kept to the core of the driver.
fn with_server(measure: impl FnOnce(&[&str]) -> Result<Vec<f64>, Failure>) -> Result<Vec<f64>, Failure> {
    let words = OURS_STDIO.words();
    let mut server: Vec<&str> = Vec::new();
    if crate::child::has("taskset") {
        server.extend(["taskset", "-c", "0"]);
    }
    server.extend(words.iter().map(String::as_str));
    measure(&server)
}

//! Calls over HTTP.

use crate::Failure;
use crate::child::How;
use crate::client::proxy::Proxy;
use crate::client::told::{self, Told};
use crate::peers::{OURS, Peer};

/// How many calls follow the first one.
const FURTHER: u64 = 20;

pub(super) fn sequential(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|address| told::cpu(peer, &[&url(address)], "calls"))
}

pub(super) fn at_once(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|address| told::cpu(peer, &[&url(address)], "at-once 64"))
}

pub(super) fn counted(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|address| told::counted(peer, &[&url(address)], "calls"))
}

/// Counts what goes over the wire until the first call is answered, and the connections of some calls more.
pub(super) fn connect(peer: &Peer) -> Result<Vec<f64>, Failure> {
    with_server(|address| {
        let proxy = Proxy::start(address)?;
        let mut client = Told::start(peer, &[&url(proxy.address())], &How::default())?;
        let used = client.tell("connect")?;
        let (requests, connections) = (proxy.requests(), proxy.connections());
        client.tell(&format!("calls {FURTHER}"))?;
        let all = proxy.connections();
        client.end()?;
        Ok(vec![requests as f64, connections as f64, all as f64, used * 1e3])
    })
}

fn url(address: &str) -> String {
    format!("http://{address}/mcp")
}

fn with_server(measure: impl FnOnce(&str) -> Result<Vec<f64>, Failure>) -> Result<Vec<f64>, Failure> {
    let server = OURS.http(&How { is_other_end: true, ..How::default() })?;
    let measured = measure(&server.address);
    server.end()?;
    measured
}

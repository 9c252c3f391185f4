//! What idle sessions and open streams hold, and what telling all of them of a change costs.

use std::time::Duration;

use crate::Failure;
use crate::child::{How, Server};
use crate::http::{Wire, run};
use crate::peers::Peer;
use crate::request::{self, Over};
use crate::server::calls::initialize;

/// How many are opened before the measurement begins.
const WARM: usize = 100;
/// How many are measured.
const MANY: usize = 1000;
/// How many streams hear of a change, and how many changes there are.
const STREAMS: usize = 5000;
const CHANGES: usize = 5;

/// Measures a legacy session that nothing is connected to: all are opened over one connection.
pub(super) fn idle(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let server = peer.http(&How::default())?;
    let kib = run(async {
        let mut wire = Wire::connect(&server.address).await?;
        let mut before = 0.0;
        for number in 0..WARM + STREAMS {
            if number == WARM {
                before = server.resident()?;
            }
            initialize(&mut wire, &server.address).await?;
        }
        Ok((server.resident()? - before) / STREAMS as f64 / 1024.0)
    })?;
    server.end()?;
    Ok(vec![kib])
}

/// Measures a legacy session with its stream.
pub(super) fn stream(peer: &Peer) -> Result<Vec<f64>, Failure> {
    each(peer, |address| Box::pin(open_stream(address)))
}

/// Measures the stream of a modern subscription.
pub(super) fn listen(peer: &Peer) -> Result<Vec<f64>, Failure> {
    each(peer, |address| Box::pin(open_listen(address)))
}

type Opening = fn(&str) -> std::pin::Pin<Box<dyn Future<Output = Result<Wire, Failure>> + '_>>;

fn each(peer: &Peer, opening: Opening) -> Result<Vec<f64>, Failure> {
    let server = peer.http(&How::default())?;
    let kib = run(async {
        let _warm = open(&server, opening, WARM).await?;
        let before = server.resident()?;
        let _wires = open(&server, opening, MANY).await?;
        Ok((server.resident()? - before) / MANY as f64 / 1024.0)
    })?;
    server.end()?;
    Ok(vec![kib])
}

async fn open(server: &Server, opening: Opening, count: usize) -> Result<Vec<Wire>, Failure> {
    let mut wires = Vec::with_capacity(count);
    for _ in 0..count {
        wires.push(opening(&server.address).await?);
    }
    // What the server still does after the last answer.
    tokio::time::sleep(Duration::from_millis(100)).await;
    Ok(wires)
}

async fn open_stream(address: &str) -> Result<Wire, Failure> {
    let mut wire = Wire::connect(address).await?;
    let session = initialize(&mut wire, address).await?;
    wire.open(&request::stream(Over::Http(address), session.as_deref()), None).await?;
    Ok(wire)
}

async fn open_listen(address: &str) -> Result<Wire, Failure> {
    let mut wire = Wire::connect(address).await?;
    let request = request::listen(Over::Http(address)).with_id(100_000_000).to_owned();
    wire.open(&request, Some("notifications/subscriptions/acknowledged")).await?;
    Ok(wire)
}

/// Measures what it costs to tell every open stream of one change.
pub(super) fn change(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let server = peer.http(&How::default())?;
    let micros = run(async {
        let mut wires = open(&server, |address| Box::pin(open_listen(address)), STREAMS).await?;
        let mut control = Wire::connect(&server.address).await?;
        let mut touch = request::touch(Over::Http(&server.address));
        let mut before = Duration::ZERO;
        for change in 0..=CHANGES {
            if change == 1 {
                // The first one pays for what is kept afterwards.
                before = server.used()?;
            }
            let id = 100_000_000 + change as u64;
            control.ask(touch.with_id(id)).await?.check(id)?;
            for wire in &mut wires {
                wire.hear("notifications/tools/list_changed").await?;
            }
        }
        let used = server.used()? - before;
        Ok(used.as_secs_f64() * 1e6 / (STREAMS * CHANGES) as f64)
    })?;
    server.end()?;
    Ok(vec![micros])
}

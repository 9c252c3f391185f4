//! Calls and lists over HTTP.

use std::time::Duration;

use crate::Failure;
use crate::child::{How, Server};
use crate::counts::{self, Counts};
use crate::http::{Load, Until, Wire, load, run};
use crate::peers::Peer;
use crate::request::{self, Over, Template, Text};

/// How long a load goes on, and how long one before it that is not counted.
const TIME: Until = Until::Time(Duration::from_millis(1500));
const WARM: Until = Until::Time(Duration::from_millis(300));

/// The requests of the two runs whose difference is counted.
const FEW: u64 = 200;
const MANY: u64 = 600;

/// Opens a connection, whatever has to be said first on it, and gives the request that it then repeats.
type Opening = fn(&str) -> OpeningFuture<'_>;
type OpeningFuture<'a> = std::pin::Pin<Box<dyn Future<Output = Result<(Wire, Template), Failure>> + 'a>>;

pub(super) fn short(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, 64, open_short)
}

pub(super) fn short_count(peer: &Peer) -> Result<Vec<f64>, Failure> {
    count(peer, open_short)
}

pub(super) fn session(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, 64, open_session)
}

pub(super) fn session_count(peer: &Peer) -> Result<Vec<f64>, Failure> {
    count(peer, open_session)
}

pub(super) fn large(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, 16, open_large)
}

pub(super) fn large_count(peer: &Peer) -> Result<Vec<f64>, Failure> {
    count(peer, open_large)
}

pub(super) fn answer(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, 16, |address| plain(address, request::call(Over::Http(address), "tool_25", &Text::Repeated)))
}

pub(super) fn list(peer: &Peer) -> Result<Vec<f64>, Failure> {
    cpu(peer, 64, open_list)
}

pub(super) fn list_count(peer: &Peer) -> Result<Vec<f64>, Failure> {
    count(peer, open_list)
}

/// Measures how long calls take when many connections make them at once.
pub(super) fn tail(peer: &Peer) -> Result<Vec<f64>, Failure> {
    let server = peer.http(&How::default())?;
    let (_, mut load) = loaded(&server, 256, open_short, TIME)?;
    server.end()?;
    load.latencies.sort_unstable();
    let at = |share: f64| {
        let index = (load.latencies.len() as f64 * share) as usize;
        load.latencies.get(index).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    };
    Ok(vec![at(0.5), at(0.99)])
}

fn open_short(address: &str) -> OpeningFuture<'_> {
    plain(address, request::call(Over::Http(address), "tool_25", &Text::Short))
}

fn open_large(address: &str) -> OpeningFuture<'_> {
    plain(address, request::call(Over::Http(address), "tool_25", &Text::Large))
}

fn open_list(address: &str) -> OpeningFuture<'_> {
    plain(address, request::list(Over::Http(address)))
}

fn plain(address: &str, template: Template) -> OpeningFuture<'_> {
    Box::pin(async move { Ok((Wire::connect(address).await?, template)) })
}

fn open_session(address: &str) -> OpeningFuture<'_> {
    Box::pin(async move {
        let mut wire = Wire::connect(address).await?;
        let session = initialize(&mut wire, address).await?;
        let template = request::legacy_call(Over::Http(address), session.as_deref(), "tool_25", &Text::Short);
        Ok((wire, template))
    })
}

/// Opens a legacy session and returns its id, if the server gives it one.
pub(super) async fn initialize(wire: &mut Wire, address: &str) -> Result<Option<String>, Failure> {
    let over = Over::Http(address);
    let reply = wire.ask(request::initialize(over).with_id(100_000_000)).await?;
    reply.check(100_000_000)?;
    let session = reply.header("mcp-session-id:");
    wire.ask(&request::initialized(over, session.as_deref())).await?;
    Ok(session)
}

/// Measures the processor time of a request.
fn cpu(peer: &Peer, connections: usize, opening: Opening) -> Result<Vec<f64>, Failure> {
    let server = peer.http(&How::default())?;
    let (used, load) = loaded(&server, connections, opening, TIME)?;
    server.end()?;
    Ok(vec![used.as_secs_f64() * 1e6 / load.requests as f64])
}

/// Loads a server and returns what it used meanwhile, and what came of it.
fn loaded(
    server: &Server,
    connections: usize,
    opening: Opening,
    until: Until,
) -> Result<(Duration, Load), Failure> {
    run(async {
        let mut wires = Vec::new();
        for _ in 0..connections {
            wires.push(opening(&server.address).await?);
        }
        let (_, wires) = load(wires, WARM, || Ok(())).await?;
        let mut before = Duration::ZERO;
        let (load, _wires) = load(wires, until, || {
            before = server.used()?;
            Ok(())
        })
        .await?;
        Ok((server.used()? - before, load))
    })
}

/// Counts the instructions and allocations of a request.
fn count(peer: &Peer, opening: Opening) -> Result<Vec<f64>, Failure> {
    let few = counted(peer, opening, FEW)?;
    let each = counted(peer, opening, MANY)?.since(few, MANY - FEW);
    Ok(vec![each.instructions, each.allocations])
}

fn counted(peer: &Peer, opening: Opening, requests: u64) -> Result<Counts, Failure> {
    let file = std::env::temp_dir().join(format!("bench-{}.callgrind", std::process::id()));
    let server = peer.http(&How { counts: Some(file.clone()), ..How::default() })?;
    run(async {
        let mut wires = Vec::new();
        for _ in 0..8 {
            wires.push(opening(&server.address).await?);
        }
        load(wires, Until::Count(requests), || Ok(())).await
    })?;
    server.end()?;
    let counts = counts::read(&file);
    std::fs::remove_file(file)?;
    counts
}

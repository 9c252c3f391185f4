//! What stands between a client and a server, and spoils what passes: random faults by the thousand, and what must hold
//! through all of them.
//!
//! The faults are drawn from a seed, so that a run can be repeated. No call may hang, none may panic, an answer is that of
//! its own call, a call that went well was carried out once and no other one twice, the era never changes, and memory does
//! not grow. When the faults are over, every client works.

mod fault;
mod gateway;
mod pipe;
mod program;

use std::sync::Arc;

use diglot::Era;
use diglot::http::StreamableHttp;
use diglot::server::Eras;
use diglot::transport::MemoryTransport;

use fault::Chance;
use gateway::Gateway;
use program::{Ledger, server, suffer};

/// How many faults each of the tests below draws unless `DIGLOT_FAULTS` says otherwise; CI has them draw ten thousand
/// together.
fn faults() -> usize {
    std::env::var("DIGLOT_FAULTS").ok().and_then(|faults| faults.parse().ok()).unwrap_or(100)
}

/// The variable that has a run watch its memory, which takes a process of its own.
const WATCHED: &str = "DIGLOT_FAULT_MEMORY";

/// Where the faults come from, unless `DIGLOT_FAULT_SEED` says otherwise.
fn chance() -> Arc<Chance> {
    let seed = std::env::var("DIGLOT_FAULT_SEED").ok().and_then(|seed| seed.parse().ok());
    Arc::new(Chance::new(seed.unwrap_or(20_260_728)))
}

/// Which eras a client may find in a server over HTTP, where no fault proves a legacy one.
fn found(eras: Eras) -> &'static [Era] {
    match eras {
        Eras::Legacy => &[Era::Legacy],
        _ => &[Era::Modern],
    }
}

/// Which eras a client may find in a server on a pipe: one that goes away when it is probed looks like a legacy one, by
/// the policy.
fn found_on_a_pipe(eras: Eras) -> &'static [Era] {
    match eras {
        Eras::Both => &[Era::Modern, Era::Legacy],
        eras => found(eras),
    }
}

/// Two tests run again in processes that do nothing else.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat() {
    for name in ["between::a_dual_server_over_http", "between::a_dual_server_over_a_pipe"] {
        let binary = std::env::current_exe().unwrap();
        let words = ["--exact", name, "--nocapture", "--quiet"];
        let output = std::process::Command::new(binary).args(words).env(WATCHED, "1").output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {told}{}", String::from_utf8_lossy(&output.stderr));
        assert!(told.contains("1 passed"), "{name}: {told}");
    }
}

async fn over_http(eras: Eras) {
    let (chance, ledger) = (chance(), Arc::new(Ledger::default()));
    let gateway = Gateway::start(chance.clone(), {
        let ledger = ledger.clone();
        move || server(eras, ledger.clone())
    });
    let url = gateway.await;
    suffer(faults(), found(eras), &chance, &ledger, move || StreamableHttp::new(&url).unwrap()).await;
}

async fn over_a_pipe(eras: Eras) {
    let (chance, ledger) = (chance(), Arc::new(Ledger::default()));
    let transport = {
        let (chance, ledger) = (chance.clone(), ledger.clone());
        move || {
            let (chance, ledger) = (chance.clone(), ledger.clone());
            MemoryTransport::new(move || pipe::spoiled(server(eras, ledger.clone()), chance.clone()))
        }
    };
    suffer(faults(), found_on_a_pipe(eras), &chance, &ledger, transport).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_modern_server_over_http() {
    over_http(Eras::Modern).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_legacy_server_over_http() {
    over_http(Eras::Legacy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dual_server_over_http() {
    over_http(Eras::Both).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_modern_server_over_a_pipe() {
    over_a_pipe(Eras::Modern).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_legacy_server_over_a_pipe() {
    over_a_pipe(Eras::Legacy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dual_server_over_a_pipe() {
    over_a_pipe(Eras::Both).await;
}

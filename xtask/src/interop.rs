//! `cargo xtask interop [FILTER]`: the client against real servers from npm, PyPI and the Cargo registry.
//!
//! Needs `node` and `npm`, `python3` with `venv`, and a network for the first run; `interop/README.md` says more.

mod install;
mod peers;
mod process;
mod row;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::peers::{House, PEERS, Peer};
use self::row::{Outcome, run_row};

/// The table's head.
const HEAD: [&str; 8] = ["peer", "era", "revision", "transport", "list", "call", "ms", ""];

/// How many rows run at a time.
const WORKERS: usize = 2;

/// Runs every row, or those whose name contains the filter, and prints the table.
///
/// The error is a sentence for the user: what could not be installed, or that a row failed.
pub(crate) fn run(filter: Option<&str>) -> Result<(), String> {
    let selected: Vec<&Peer> =
        PEERS.iter().filter(|peer| filter.is_none_or(|part| peer.name.contains(part))).collect();
    if selected.is_empty() {
        return Err(format!("no row's name contains `{}`", filter.unwrap_or_default()));
    }
    let house = house()?;
    install::peers(&house, &selected)?;
    let client = install::client(&house)?;
    let outcomes = run_all(&house, &client, &selected);
    let table = report(&selected, &outcomes);
    std::io::stdout().write_all(table.as_bytes()).map_err(|error| format!("printing the table: {error}"))?;
    match outcomes.iter().filter(|outcome| !outcome.passed()).count() {
        0 => Ok(()),
        failed => Err(format!("{failed} of {} rows failed", outcomes.len())),
    }
}

fn house() -> Result<House, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask lies in no workspace")?.to_owned();
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |given| root.join(PathBuf::from(given)));
    Ok(House { root, target })
}

/// Runs the rows, some at a time, and gives their outcomes in the table's order.
fn run_all(house: &House, client: &Path, selected: &[&Peer]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Outcome)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(peer) = selected.get(index) else {
                        return;
                    };
                    eprintln!("interop: {}", peer.name);
                    let outcome = run_row(house, client, peer);
                    done.lock().expect("no row panics while it holds the lock").push((index, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no row panics while it holds the lock");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

fn report(selected: &[&Peer], outcomes: &[Outcome]) -> String {
    let rows: Vec<(&Peer, &Outcome)> = selected.iter().copied().zip(outcomes).collect();
    let mut text = line(HEAD);
    for (peer, outcome) in &rows {
        text += &describe(peer, outcome);
    }
    for (peer, outcome) in &rows {
        for fault in &outcome.faults {
            text += &format!("\n{}: {}\n", peer.name, fault.trim_end());
        }
    }
    let released: Vec<_> = rows.iter().filter(|(peer, _)| peer.is_released_legacy()).collect();
    let connected = released.iter().filter(|(_, outcome)| outcome.connected).count();
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    text += &format!(
        "\nreleased legacy configurations connected under standard: {connected} of {}\n",
        released.len()
    );
    text + &format!("{passed} passed, {} failed\n", outcomes.len() - passed)
}

fn describe(peer: &Peer, outcome: &Outcome) -> String {
    let seen = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let mark = |well: bool| if well { "ok" } else { "FAIL" };
    line([
        peer.name,
        &seen(&outcome.era),
        &seen(&outcome.revision),
        &seen(&outcome.transport),
        mark(outcome.listed),
        mark(outcome.called),
        &outcome.elapsed.as_millis().to_string(),
        if outcome.passed() { "" } else { "FAILED" },
    ])
}

fn line([name, era, revision, transport, list, call, ms, verdict]: [&str; 8]) -> String {
    let line =
        format!("{name:<26} {era:<7} {revision:<11} {transport:<16} {list:<5} {call:<5} {ms:>6}  {verdict}");
    format!("{}\n", line.trim_end())
}

//! `cargo xtask interop [servers|clients] [FILTER]`: Diglot against real peers from npm, PyPI and the Cargo registry.
//!
//! Needs `node` and `npm`, `python3` with `venv`, and a network for the first run; `interop/README.md` says more.

mod client_row;
mod clients;
mod install;
mod program;
mod report;
mod server_row;
mod servers;
mod visits;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::client_row::run_client;
use self::clients::{CLIENTS, ClientRow};
use self::program::House;
use self::report::{Report, table};
use self::server_row::{Outcome, run_server};
use self::servers::{SERVERS, ServerRow};

/// How many rows run at a time.
const WORKERS: usize = 2;

/// Runs every row, or those that the words select, and prints the tables.
///
/// The error is a sentence for the user: what could not be installed, or that a row failed.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let (servers, clients) = select(words)?;
    let house = house()?;
    let programs: Vec<_> =
        servers.iter().map(|row| row.program).chain(clients.iter().map(|row| row.program)).collect();
    install::programs(&house, &programs)?;
    let own = install::clients(&house)?;
    let mut reports = Vec::new();
    if !servers.is_empty() {
        let outcomes = run_all(&servers, |row| row.name, |row| run_server(&house, &own, row));
        let released = released_legacy(&servers, &outcomes);
        let of_servers: Vec<_> =
            outcomes.into_iter().zip(&servers).map(|(outcome, row)| outcome.report(row)).collect();
        print(&format!("{}\n{released}\n", table("server", &server_row::COLUMNS, &of_servers)))?;
        reports.extend(of_servers);
    }
    if !clients.is_empty() {
        let of_clients = run_all(&clients, |row| row.name, |row| run_client(&house, &own.diglot, row));
        print(&format!("{}\n", table("client", &client_row::COLUMNS, &of_clients)))?;
        reports.extend(of_clients);
    }
    conclude(&reports)
}

/// The rows of the named table, or of both, whose name contains the other words.
fn select(words: &[String]) -> Result<(Vec<&'static ServerRow>, Vec<&'static ClientRow>), String> {
    let (table, filter) = match words {
        [table, filter @ ..] if table == "servers" || table == "clients" => (Some(table.as_str()), filter),
        filter => (None, filter),
    };
    let filter = filter.join(" ");
    let wanted = |kind: &str, name: &str| table.is_none_or(|table| table == kind) && name.contains(&filter);
    let servers: Vec<_> = SERVERS.iter().filter(|row| wanted("servers", row.name)).collect();
    let clients: Vec<_> = CLIENTS.iter().filter(|row| wanted("clients", row.name)).collect();
    if servers.is_empty() && clients.is_empty() {
        return Err(format!("no row's name contains `{filter}`"));
    }
    Ok((servers, clients))
}

fn house() -> Result<House, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask lies in no workspace")?.to_owned();
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |given| root.join(PathBuf::from(given)));
    Ok(House { root, target })
}

/// Runs the rows, some at a time, and gives what came of them in the table's order.
fn run_all<R: Sync, O: Send>(
    rows: &[&R],
    name: impl Fn(&R) -> &'static str + Sync,
    run: impl Fn(&R) -> O + Sync,
) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, O)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(index) else {
                        return;
                    };
                    eprintln!("interop: {}", name(row));
                    let outcome = run(row);
                    done.lock().expect("no row panics while it holds the lock").push((index, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no row panics while it holds the lock");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

fn released_legacy(rows: &[&ServerRow], outcomes: &[Outcome]) -> String {
    let released: Vec<_> = rows.iter().zip(outcomes).filter(|(row, _)| row.is_released_legacy()).collect();
    let connected = released.iter().filter(|(_, outcome)| outcome.connected).count();
    format!("released legacy configurations connected under standard: {connected} of {}\n", released.len())
}

/// Prints the count of both tables, which is the last line.
fn conclude(reports: &[Report]) -> Result<(), String> {
    let failed = reports.iter().filter(|report| !report.passed()).count();
    print(&format!("{} passed, {failed} failed\n", reports.len() - failed))?;
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} rows failed", reports.len())) }
}

fn print(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| format!("printing the tables: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(words: &[&str]) -> Result<(usize, usize), String> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        select(&words).map(|(servers, clients)| (servers.len(), clients.len()))
    }

    #[test]
    fn no_words_select_every_row() {
        assert_eq!(counts(&[]), Ok((SERVERS.len(), CLIENTS.len())));
    }

    #[test]
    fn the_name_of_a_table_selects_it_and_a_filter_goes_over_what_is_selected() {
        assert_eq!(counts(&["servers"]), Ok((SERVERS.len(), 0)));
        assert_eq!(counts(&["clients", "rmcp", "2.2"]), Ok((0, 2)));
        assert_eq!(counts(&["mcp 1.30 stdio"]), Ok((1, 1)));
    }

    #[test]
    fn a_filter_that_fits_nothing_is_an_error() {
        assert!(counts(&["clients", "everything"]).is_err());
    }
}

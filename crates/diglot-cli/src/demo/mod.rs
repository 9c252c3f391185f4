//! `diglot demo`: the tour for a new user, which needs nothing but this binary.
//!
//! Servers of both eras, made by the SDK, and some scripted ones, broken ones among them, run inside the process; the
//! client connects to each under each policy. What must come of it stands in the table of `servers.rs`, so that every run is a test too.

mod heard;
mod http;
mod json;
mod pipe;
mod script;
mod servers;
mod sound;
mod table;
mod verdict;
mod visit;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use tokio::task::JoinHandle;

use script::Server;
use servers::{CALLED, GROUPS, Group};
use table::Table;
use visit::{Called, Finding, Visit, policies};

/// Runs the tour and prints it, as a table or as one JSON object.
///
/// It succeeds if every decision is the expected one.
pub(crate) async fn run(json: bool, color: bool) -> ExitCode {
    match tour(json, Table { color }).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Who closed the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("diglot: the demo cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn tour(json: bool, table: Table) -> io::Result<bool> {
    let began = Instant::now();
    let print = |text: String| if json { Ok(()) } else { io::stdout().write_all(text.as_bytes()) };
    let groups: Vec<(&Group, Vec<Started>)> = GROUPS.iter().map(|group| (group, start(group))).collect();
    let calls: Vec<Call> = CALLED.iter().map(|server| tokio::spawn(visit::call(server))).collect();

    print(table.opening(GROUPS.iter().map(|group| group.servers.len()).sum()))?;
    let mut findings = Vec::new();
    for (group, servers) in groups {
        print(table.group(group.title))?;
        for started in servers {
            let finding = started.end().await?;
            print(table.server(&finding))?;
            findings.push(finding);
        }
        print("\n".to_owned())?;
    }
    let mut unexpected: Vec<String> = findings.iter().flat_map(Finding::surprises).collect();
    let mut called = Vec::new();
    for call in calls {
        match call.await? {
            Ok(call) => called.push(call),
            Err(surprise) => unexpected.push(surprise),
        }
    }
    print(table.calls(&called))?;
    match json {
        true => writeln!(io::stdout(), "{}", json::tour(&findings, &called, &unexpected))?,
        false => print(table.closing(findings.len(), &unexpected, began.elapsed()))?,
    }
    Ok(unexpected.is_empty())
}

/// The connects to one server, which have begun and run side by side.
struct Started {
    server: &'static Server,
    visits: [JoinHandle<Visit>; 3],
}

impl Started {
    async fn end(self) -> io::Result<Finding> {
        let [conservative, standard, lenient] = self.visits;
        let visits = [conservative.await?, standard.await?, lenient.await?];
        Ok(Finding { server: self.server, visits })
    }
}

fn start(group: &Group) -> Vec<Started> {
    let visits = |server| policies().map(|policy| tokio::spawn(visit::visit(server, policy)));
    group.servers.iter().map(|server| Started { server, visits: visits(server) }).collect()
}

type Call = JoinHandle<Result<Called, String>>;

//! One row of the servers: probe it, list its tools, call one, visit it, and compare with the table.
//!
//! Nothing that the client or the server printed is trusted to have a shape: a missing key is a fault of the row.

use std::time::Duration;

use serde_json::Value;

use super::install::Clients;
use super::program::{House, same};
use super::report::{Report, mark, seen};
use super::servers::{Reach, ServerRow};
use crate::process::{COMMAND_LIMIT, Server, run, tail};

/// The columns between the name and the time.
pub(crate) const COLUMNS: [&str; 6] = ["era", "revision", "transport", "list", "call", "visit"];

/// What came of a row.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) era: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) transport: Option<String>,
    pub(crate) connected: bool,
    pub(crate) listed: bool,
    pub(crate) called: bool,
    /// How many steps of the visit went well, and how many there are.
    pub(crate) visited: (usize, usize),
    /// How long the runs of the client took together.
    pub(crate) elapsed: Duration,
    pub(crate) faults: Vec<String>,
}

impl Outcome {
    pub(crate) fn report(self, row: &ServerRow) -> Report {
        let cells = vec![
            seen(self.era.as_deref()),
            seen(self.revision.as_deref()),
            seen(self.transport.as_deref()),
            mark(self.listed),
            mark(self.called),
            match self.visited {
                (_, 0) => "-".to_owned(),
                (well, all) => format!("{well}/{all}"),
            },
        ];
        Report { name: row.name, cells, elapsed: self.elapsed, faults: self.faults }
    }

    fn note(&mut self, step: &str, checked: Result<(), String>) -> bool {
        let well = checked.is_ok();
        self.faults.extend(checked.err().map(|fault| format!("{step}: {fault}")));
        well
    }
}

/// Runs a row to its end; what goes wrong is in the outcome.
pub(crate) fn run_server(house: &House, clients: &Clients, row: &ServerRow) -> Outcome {
    let mut outcome = Outcome::default();
    let target = Target { house, clients, row };
    let server = match row.reach {
        Reach::Http | Reach::HttpSse => target.start().map(Some),
        Reach::Stdio | Reach::OneSession => Ok(None),
    };
    match server {
        Ok(server) => run_commands(&target, server.as_ref(), &mut outcome),
        Err(fault) => outcome.faults.push(format!("start: {fault}")),
    }
    outcome
}

fn run_commands(target: &Target<'_>, server: Option<&Server>, outcome: &mut Outcome) {
    let call = target.row.call;
    let probed =
        target.ask(server, "probe", &[], outcome).and_then(|found| check_probe(&found, target.row, outcome));
    outcome.connected = outcome.note("probe", probed);
    if outcome.era.is_none() {
        return; // not reached: the other two would say the same, perhaps after a long wait
    }
    let listed =
        target.ask(server, "list", &["tools"], outcome).and_then(|found| check_list(&found, call.tool));
    outcome.listed = outcome.note("list", listed);
    let words = [&[call.tool], call.arguments].concat();
    let called = target.ask(server, "call", &words, outcome).and_then(|found| check_call(&found, call.text));
    outcome.called = outcome.note("call", called);
    if let Some(steps) = target.row.visit.steps() {
        let visited =
            target.visit(server, &steps, outcome).and_then(|found| check_visit(&found, &steps, outcome));
        outcome.note("visit", visited);
    }
}

struct Target<'a> {
    house: &'a House,
    clients: &'a Clients,
    row: &'a ServerRow,
}

impl Target<'_> {
    fn start(&self) -> Result<Server, String> {
        let words = |port| self.row.command(self.house, Some(port));
        Server::start(words, &self.house.log(&format!("{} server", self.row.name)))
    }

    /// Runs one command of the client against the server, and gives the object that it printed.
    fn ask(
        &self,
        server: Option<&Server>,
        name: &str,
        words: &[&str],
        outcome: &mut Outcome,
    ) -> Result<Value, String> {
        let fresh = if self.row.reach == Reach::OneSession { Some(self.start()?) } else { None };
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut command = vec![self.clients.diglot.to_string_lossy().into_owned()];
        command.extend(own(&[name, "--json", "--downgrade", "standard"]));
        if let Some(Server { port, .. }) = server.or(fresh.as_ref()) {
            command.push(format!("http://127.0.0.1:{port}{}", self.row.reach.path()));
            command.extend(own(words));
        } else {
            command.extend(own(&[words, &["--"]].concat()));
            command.extend(self.row.command(self.house, None));
        }
        let finished = run(&command, COMMAND_LIMIT, &self.house.log(&format!("{} {name}", self.row.name)))?;
        outcome.elapsed += finished.elapsed;
        finished.object()
    }

    /// Has the visitor take its steps, and gives the object that it printed.
    fn visit(&self, server: Option<&Server>, steps: &Value, outcome: &mut Outcome) -> Result<Value, String> {
        let fresh = if self.row.reach == Reach::OneSession { Some(self.start()?) } else { None };
        let mut command = vec![self.clients.visitor.to_string_lossy().into_owned(), steps.to_string()];
        if let Some(Server { port, .. }) = server.or(fresh.as_ref()) {
            command.push(format!("http://127.0.0.1:{port}{}", self.row.reach.path()));
        } else {
            command.push("--".to_owned());
            command.extend(self.row.command(self.house, None));
        }
        let finished = run(&command, COMMAND_LIMIT, &self.house.log(&format!("{} visit", self.row.name)))?;
        outcome.elapsed += finished.elapsed;
        finished.object()
    }
}

fn check_probe(found: &Value, row: &ServerRow, outcome: &mut Outcome) -> Result<(), String> {
    let text = |key: &str| found.get(key).and_then(Value::as_str).map(str::to_owned);
    outcome.era = text("era");
    outcome.revision = text("protocolVersion");
    outcome.transport = text("transport");
    if found.get("ok") != Some(&Value::Bool(true)) {
        return Err(format!("not connected: {}", tail(&found.get("error").unwrap_or(found).to_string())));
    }
    row.settled.check(outcome.era.as_deref(), outcome.revision.as_deref())?;
    same("transport", outcome.transport.as_deref(), row.reach.transport())
}

fn check_list(found: &Value, tool: &str) -> Result<(), String> {
    let tools = found.get("tools").unwrap_or(found).as_array();
    let names = tools.into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str());
    if names.clone().any(|name| name == tool) {
        return Ok(());
    }
    Err(format!("no tool `{tool}` in {:?}: {}", names.collect::<Vec<_>>(), tail(&found.to_string())))
}

fn check_call(found: &Value, wanted: &str) -> Result<(), String> {
    let failed = found.get("isError") == Some(&Value::Bool(true));
    let blocks = found.get("content").and_then(Value::as_array).into_iter().flatten();
    let text: Vec<&str> = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
    if !failed && text.iter().any(|text| text.contains(wanted)) {
        return Ok(());
    }
    Err(format!("no text `{wanted}` in {}", tail(&found.to_string())))
}

/// Checks the era of a visit and each of its steps, of which none may be missing.
fn check_visit(found: &Value, steps: &Value, outcome: &mut Outcome) -> Result<(), String> {
    let wanted = steps.as_array().map_or(0, Vec::len);
    outcome.visited = (0, wanted);
    if let Some(error) = found.get("error").and_then(Value::as_str) {
        return Err(error.to_owned());
    }
    same("era", found.get("era").and_then(Value::as_str), outcome.era.as_deref().unwrap_or_default())?;
    let taken = found.get("steps").and_then(Value::as_object).ok_or("no steps in what it printed")?;
    let faults: Vec<String> =
        taken.iter().filter_map(|(step, fault)| Some(format!("{step}: {}", tail(fault.as_str()?)))).collect();
    outcome.visited.0 = taken.values().filter(|fault| fault.is_null()).count();
    match (faults.is_empty(), taken.len() == wanted) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("{} of {wanted} steps were taken", taken.len())),
        (false, _) => Err(faults.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_read_with_or_without_its_envelope() {
        assert_eq!(check_list(&json!({ "tools": [{ "name": "add" }] }), "add"), Ok(()));
        assert_eq!(check_list(&json!([{ "name": "add" }]), "add"), Ok(()));
        assert!(check_list(&json!({ "tools": [{ "name": "echo" }] }), "add").is_err());
    }

    #[test]
    fn a_step_that_failed_or_was_not_taken_is_a_fault() {
        let steps = json!([{}, {}]);
        let check = |taken: Value| {
            let mut outcome = Outcome { era: Some("modern".to_owned()), ..Outcome::default() };
            let found = json!({ "era": "modern", "steps": taken });
            (check_visit(&found, &steps, &mut outcome).is_ok(), outcome.visited)
        };
        assert_eq!(check(json!({ "read": null, "ask": null })), (true, (2, 2)));
        assert_eq!(check(json!({ "read": null, "ask": "no" })), (false, (1, 2)));
        assert_eq!(check(json!({ "read": null })), (false, (1, 2)));
    }

    #[test]
    fn a_tool_error_is_a_fault_even_with_the_right_text() {
        assert_eq!(check_call(&json!({ "content": [{ "type": "text", "text": "5" }] }), "5"), Ok(()));
        assert!(check_call(&json!({ "content": [{ "text": "5" }], "isError": true }), "5").is_err());
        assert!(check_call(&json!({ "content": 5 }), "5").is_err());
    }
}

//! One row of the clients: start `diglot serve --demo`, run the client against it, and compare what it says.
//!
//! The client has compared already, and its status says what it thinks; its line is looked at all the same.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::clients::{Asks, ClientRow, Wire};
use super::program::{House, same};
use super::report::{Report, mark, seen};
use crate::process::{COMMAND_LIMIT, Finished, Server, run, tail};

/// The columns between the name and the time.
pub(crate) const COLUMNS: [&str; 7] = ["era", "revision", "list", "call", "read", "prompt", "ask"];

/// The tools of the demo server.
const TOOLS: [&str; 5] = ["add", "echo", "confirm", "count", "fail"];

/// The name that every client gives to the prompt.
const NAME: &str = "Ada";

/// A step: its column, and what it must have brought.
type Check = (&'static str, fn(&Value) -> Result<(), String>);

const LIST_AND_CALL: [Check; 2] =
    [("list", |line| tools(line.get("tools"))), ("call", |line| same("sum", text(line, "sum"), "5"))];

const THE_REST: [Check; 3] = [
    ("read", |line| same("resource", text(line, "resource"), "Hello from Diglot.")),
    ("prompt", |line| contains("prompt", text(line, "prompt"), NAME)),
    ("ask", |line| same("confirm", text(line, "confirm"), "confirmed")),
];

/// Runs a row to its end; what goes wrong is in the report.
pub(crate) fn run_client(house: &House, diglot: &Path, row: &ClientRow) -> Report {
    match ask(house, diglot, row) {
        Ok(finished) => match finished.object() {
            Ok(line) if line.get("error").is_some() => {
                silent(row, finished.elapsed, complaint(&line, &finished))
            }
            Ok(line) => judge(row, &line, &finished),
            Err(fault) => silent(row, finished.elapsed, fault),
        },
        Err(fault) => silent(row, Duration::ZERO, fault),
    }
}

/// The report of a client that came to no result.
fn silent(row: &ClientRow, elapsed: Duration, fault: String) -> Report {
    Report { name: row.name, cells: vec![seen(None); COLUMNS.len()], elapsed, faults: vec![fault] }
}

fn ask(house: &House, diglot: &Path, row: &ClientRow) -> Result<Finished, String> {
    let serve = |words: &[&str]| {
        let mut command = vec![diglot.to_string_lossy().into_owned()];
        command.extend(["serve", "--demo"].iter().chain(words).map(ToString::to_string));
        command
    };
    let mut command = row.program.command(house);
    command.extend(row.words.split_whitespace().map(str::to_owned));
    let _server = match row.wire {
        Wire::Http => {
            let words = |port| serve(&["--http", &format!("127.0.0.1:{port}")]);
            let server = Server::start(words, &house.log(&format!("{} serve", row.name)))
                .map_err(|fault| format!("start: {fault}"))?;
            command.push(format!("http://127.0.0.1:{}/mcp", server.port));
            Some(server)
        }
        Wire::Stdio => {
            command.push("--".to_owned());
            command.extend(serve(&["--stdio"]));
            None
        }
    };
    run(&command, COMMAND_LIMIT, &house.log(&format!("{} client", row.name)))
}

fn judge(row: &ClientRow, line: &Value, finished: &Finished) -> Report {
    let mut faults: Vec<String> = settled(row, line).err().into_iter().collect();
    let mut cells = vec![seen(text(line, "era")), seen(text(line, "protocolVersion"))];
    cells.extend(LIST_AND_CALL.iter().map(|check| step(line, check, &mut faults)));
    cells.extend(THE_REST.iter().map(|check| match row.asks {
        Asks::Everything => step(line, check, &mut faults),
        Asks::ListAndCall => seen(None),
    }));
    faults.extend(agreed(line, finished).err());
    Report { name: row.name, cells, elapsed: finished.elapsed, faults }
}

fn step(line: &Value, (column, check): &Check, faults: &mut Vec<String>) -> String {
    let checked = check(line);
    let cell = mark(checked.is_ok());
    faults.extend(checked.err().map(|fault| format!("{column}: {fault}")));
    cell
}

fn settled(row: &ClientRow, line: &Value) -> Result<(), String> {
    match row.asks {
        Asks::Everything => row.settled.check(text(line, "era"), text(line, "protocolVersion")),
        Asks::ListAndCall => same("era", text(line, "era"), row.settled.era),
    }
}

/// Fails where the client itself was not content.
fn agreed(line: &Value, finished: &Finished) -> Result<(), String> {
    let content = line.get("ok") == Some(&Value::Bool(true)) && finished.status.success();
    if content { Ok(()) } else { Err(complaint(line, finished)) }
}

/// The client's own words, with the end of what it wrote to standard error.
fn complaint(line: &Value, finished: &Finished) -> String {
    let said = text(line, "error").map_or_else(|| line.to_string(), str::to_owned);
    format!("the client says ({}): {}\n{}", finished.status, tail(&said), tail(&finished.stderr))
}

fn text<'a>(line: &'a Value, key: &str) -> Option<&'a str> {
    line.get(key).and_then(Value::as_str)
}

fn tools(found: Option<&Value>) -> Result<(), String> {
    let names: Vec<&str> =
        found.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    match TOOLS.iter().find(|tool| !names.contains(tool)) {
        None => Ok(()),
        Some(missing) => Err(format!("no tool `{missing}` in {names:?}")),
    }
}

fn contains(key: &str, found: Option<&str>, wanted: &str) -> Result<(), String> {
    match found {
        Some(text) if text.contains(wanted) => Ok(()),
        _ => Err(format!("{key} is {}, without {wanted}", found.unwrap_or("missing"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::clients::CLIENTS;
    use super::*;
    use serde_json::json;

    fn report(line: &Value) -> Report {
        let finished = Finished {
            status: std::process::ExitStatus::default(),
            stdout: String::new(),
            stderr: String::new(),
            elapsed: Duration::ZERO,
        };
        judge(&CLIENTS[0], line, &finished)
    }

    fn right() -> Value {
        json!({
            "ok": true, "era": "legacy", "protocolVersion": "2025-11-25", "tools": TOOLS, "sum": "5",
            "resource": "Hello from Diglot.", "prompt": "Say hello to Ada.", "confirm": "confirmed"
        })
    }

    #[test]
    fn a_line_with_everything_in_it_passes() {
        let report = report(&right());
        assert_eq!(report.faults, Vec::<String>::new());
        assert_eq!(report.cells.len(), COLUMNS.len());
    }

    #[test]
    fn a_line_that_calls_itself_good_and_is_not_fails() {
        for key in ["era", "protocolVersion", "tools", "sum", "resource", "prompt", "confirm"] {
            let mut line = right();
            line[key] = json!("else");
            assert!(!report(&line).passed(), "{key}");
        }
    }

    #[test]
    fn a_client_that_is_not_content_fails() {
        let mut line = right();
        line["ok"] = json!(false);
        assert!(!report(&line).passed());
        assert!(!report(&json!("no object")).passed());
    }
}

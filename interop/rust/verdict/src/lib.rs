//! What a client must have got from `diglot serve --demo`, and the one line that says so.
//!
//! Results come in as the JSON that went over the wire, so the line is the same on every version of the SDK.

use std::error::Error;
use std::process::ExitCode;

use serde_json::{Value, json};

/// The tools of the demo server.
pub const TOOLS: [&str; 5] = ["add", "echo", "confirm", "count", "fail"];

/// The resource that is read.
pub const GREETING: &str = "demo://greeting";

/// The name that is given to the prompt `greet`, and must come back.
pub const NAME: &str = "Ada";

/// What one client saw.
pub struct Seen {
    pub era: &'static str,
    pub protocol_version: String,
    /// The names of the listed tools.
    pub tools: Vec<String>,
    /// The result of `add` with 2 and 3.
    pub add: Value,
    /// The result of reading [`GREETING`].
    pub read: Value,
    /// The result of the prompt `greet`.
    pub prompt: Value,
    /// The result of `confirm`, answered with yes.
    pub confirm: Value,
}

/// Where a client finds the server.
pub enum Target {
    Url(String),
    Command(Vec<String>),
}

impl Target {
    /// Reads `URL`, or `-- COMMAND [ARGUMENTS…]`.
    pub fn parse(words: &[String]) -> Result<Self, Box<dyn Error>> {
        match words {
            [dashes, command @ ..] if dashes == "--" && !command.is_empty() => {
                Ok(Self::Command(command.to_vec()))
            }
            [url] if url.starts_with("http") => Ok(Self::Url(url.clone())),
            _ => Err("the target is a URL or `-- COMMAND [ARGUMENTS…]`".into()),
        }
    }
}

/// Prints the line, and gives the status that goes with it.
pub fn conclude(seen: Result<Seen, Box<dyn Error>>) -> ExitCode {
    let line = match seen {
        Ok(seen) => judge(&seen),
        Err(error) => json!({ "ok": false, "error": chain(error.as_ref()) }),
    };
    println!("{line}");
    if line["ok"] == true { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn judge(seen: &Seen) -> Value {
    let sum = &seen.add["content"][0]["text"];
    let resource = &seen.read["contents"][0]["text"];
    let prompt = &seen.prompt["messages"][0]["content"]["text"];
    let confirm = &seen.confirm["content"][0]["text"];
    let ok = TOOLS.iter().all(|tool| seen.tools.iter().any(|name| name == tool))
        && sum == "5"
        && seen.add["structuredContent"]["sum"] == 5
        && resource == "Hello from Diglot."
        && prompt.as_str().is_some_and(|text| text.contains(NAME))
        && confirm == "confirmed";
    json!({
        "ok": ok, "era": seen.era, "protocolVersion": seen.protocol_version, "tools": seen.tools, "sum": sum,
        "structured": seen.add["structuredContent"], "resource": resource, "prompt": prompt, "confirm": confirm,
    })
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text += &format!(": {cause}");
        next = cause.source();
    }
    text
}

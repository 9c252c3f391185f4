//! `interop-visitor STEPS URL` or `interop-visitor STEPS -- CMD…`: visits a server and does there what it is told to.
//!
//! The steps are a JSON array. It answers every question that a server asks on the way, prints one line of JSON with what
//! came of each step, and ends with status 0 only if all went well. The program never looks at the era: it prints it.

mod answers;
mod steps;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use diglot::http::HttpSse;
use diglot::{ChildProcess, Client, Error, StreamableHttp};
use serde_json::{Map, Value, json};

use steps::Step;

/// How long a whole visit may take.
const LONGEST: Duration = Duration::from_secs(60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let report = match tokio::time::timeout(LONGEST, visit(&words)).await {
        Ok(Ok(report)) => report,
        Ok(Err(fault)) => json!({ "ok": false, "error": fault }),
        Err(_) => json!({ "ok": false, "error": format!("the visit did not end within {LONGEST:?}") }),
    };
    let is_ok = report.get("ok") == Some(&Value::Bool(true));
    let printed = std::io::stdout().write_all(format!("{report}\n").as_bytes());
    if is_ok && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Connects, takes every step, and reports.
async fn visit(words: &[String]) -> Result<Value, String> {
    let [steps, target @ ..] = words else {
        return Err("usage: interop-visitor STEPS URL | -- CMD…".to_owned());
    };
    let steps: Vec<Step> = serde_json::from_str(steps).map_err(|error| format!("the steps: {error}"))?;
    let client = connect(target).await.map_err(|error| chain(&error))?;
    let mut faults = Map::new();
    for step in &steps {
        let outcome = step.take(&client).await;
        faults.insert(step.name(), outcome.err().map_or(Value::Null, Value::String));
    }
    let report = json!({
        "ok": faults.values().all(Value::is_null),
        "era": client.era().to_string(),
        "protocolVersion": client.revision().as_str(),
        "steps": faults,
    });
    client.close().await;
    Ok(report)
}

async fn connect(target: &[String]) -> Result<Client, Error> {
    let builder = answers::give(Client::builder("interop-visitor", "0.0.0"));
    match target {
        [dashes, command, arguments @ ..] if dashes == "--" => {
            builder.connect(ChildProcess::new(command).args(arguments)).await
        }
        [url] if url.ends_with("/sse") => builder.connect(HttpSse::new(url)?).await,
        [url] => builder.connect(StreamableHttp::new(url)?).await,
        _ => Err(Error::Arguments("a URL, or -- and a command, is wanted")),
    }
}

/// Writes an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

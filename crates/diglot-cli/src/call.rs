//! `diglot call`: one call of one tool.
//!
//! Where arguments are given as KEY=VALUE, the server's list of tools says how each value is typed; arguments that are
//! JSON already go out as they are, and nothing is listed first.

mod progress;
mod schema;
mod words;

use std::io::Read;

use diglot::client::ToolList;
use diglot::types::ToolResult;
use serde_json::value::RawValue;

use crate::args::Call;
use crate::assignment::Assignment;
use crate::connect::{Connected, Session, open_asking};
use crate::content::Teller;
use crate::failure::{Failure, Kind, TOOL_FAILED};
use crate::output::{Ending, raw_line};

use words::{Given, Words};

/// The most that is read of arguments on stdin, in bytes.
const LONGEST_INPUT: u64 = 64 * 1024 * 1024;

/// Calls a tool and tells its result.
pub(crate) async fn run(call: &Call, session: &Session) -> Result<Ending, Failure> {
    let words = words::read(&call.words, !call.options.child.is_empty(), call.json_args.as_deref())?;
    let ready = match &words.given {
        Given::Json(text) => Some(raw(text, "--json-args")?),
        Given::Stdin => Some(raw(&read_stdin().await?, "stdin")?),
        Given::Nothing => Some(raw("{}", "no arguments")?),
        Given::Assignments(_) => None,
    };
    let connected = open_asking(session, words.target, &call.options, &call.asking).await?;
    let arguments = match (ready, &words.given) {
        (None, Given::Assignments(assignments)) => typed(&connected, words.tool, assignments).await?,
        (ready, _) => ready.unwrap_or_default(),
    };
    let result = send(call, &connected, &words, arguments).await?;
    if result.is_error && !words.has_been_listed() {
        suggest(&connected, &words, call).await;
    }
    Ok(told(call, words.tool, &result))
}

fn told(call: &Call, tool: &str, result: &ToolResult) -> Ending {
    let look = &call.options.look;
    let (stdout, is_incomplete) = match look.json {
        true => (raw_line(result.raw.as_deref()).into(), false),
        false => Teller::new(tool, call.output.as_deref(), look.color).result(result).end(),
    };
    match result.is_error {
        true => {
            let failure = Failure::new(Kind::ProtocolError, format!("the tool {tool} reports an error"));
            Ending { stdout, failure: Some(failure), exit: TOOL_FAILED }
        }
        false => Ending { stdout, failure: None, exit: u8::from(is_incomplete) },
    }
}

async fn send(
    call: &Call,
    connected: &Connected,
    words: &Words<'_>,
    arguments: Box<RawValue>,
) -> Result<ToolResult, Failure> {
    let look = &call.options.look;
    let mut asking = connected.client.call_tool(words.tool, arguments);
    let bar = progress::wanted(look).then(|| progress::Bar::new(look.color));
    if let Some(bar) = &bar {
        let bar = bar.clone();
        asking = asking.on_progress(move |progress| bar.show(&progress));
    }
    let outcome = asking.await;
    drop(bar);
    match outcome {
        Ok(result) => Ok(result),
        Err(error @ diglot::Error::Rpc(_)) if !words.has_been_listed() => {
            let failure = connected.failure(&error);
            Err(match unknown(connected, words.tool).await {
                Some(unknown) => Failure { message: failure.message, kind: failure.kind, ..unknown },
                None => failure,
            })
        }
        Err(error) => Err(connected.failure(&error)),
    }
}

/// Types assignments by the schema of the tool.
async fn typed(
    connected: &Connected,
    tool: &str,
    assignments: &[Assignment<'_>],
) -> Result<Box<RawValue>, Failure> {
    let tools = connected.client.list_tools().await.map_err(|error| connected.failure(&error))?;
    let Some(found) = tools.find(tool) else { return Err(not_listed(&tools, tool).with(&connected.target)) };
    let arguments = schema::arguments(assignments, &found.input_schema);
    arguments.map_err(|what| Failure::usage(what).with(&connected.target))
}

fn not_listed(tools: &ToolList, tool: &str) -> Failure {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let failure = Failure::usage(format!("the server has no tool {tool:?}"));
    match crate::closest::closest(tool, &names).as_slice() {
        [] if names.is_empty() => failure.hint("it lists no tools at all"),
        [] => failure.hint("diglot list shows its tools"),
        names => failure.hint(format!("did you mean {}?", names.join(" or "))),
    }
}

/// Asks whether the server lists a tool, after a call of it failed; nothing where it does, or where it does not say.
async fn unknown(connected: &Connected, tool: &str) -> Option<Failure> {
    let tools = connected.client.list_tools().await.ok()?;
    match tools.find(tool) {
        Some(_) => None,
        None => Some(not_listed(&tools, tool).with(&connected.target)),
    }
}

/// Tells on stderr that the tool is not listed, since many servers report it as the failure of a tool.
async fn suggest(connected: &Connected, words: &Words<'_>, call: &Call) {
    if let Some(failure) = unknown(connected, words.tool).await {
        let hint = failure.hint.unwrap_or_default();
        crate::output::warn(call.options.look.color, &format!("{}; {hint}", failure.message));
    }
}

async fn read_stdin() -> Result<String, Failure> {
    let read = || {
        let mut text = String::new();
        std::io::stdin().take(LONGEST_INPUT).read_to_string(&mut text).map(|_| text)
    };
    let wrong = |what: String| Failure::usage(format!("stdin cannot be read: {what}"));
    match tokio::task::spawn_blocking(read).await {
        Ok(text) => text.map_err(|error| wrong(error.to_string())),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Checks that a text is a JSON object and keeps it as it is.
fn raw(text: &str, whence: &str) -> Result<Box<RawValue>, Failure> {
    let wrong = |what: String| Failure::new(Kind::Usage, format!("the arguments of {whence} are {what}"));
    let raw: Box<RawValue> =
        serde_json::from_str(text).map_err(|error| wrong(format!("no JSON: {error}")))?;
    match raw.get().starts_with('{') {
        true => Ok(raw),
        false => Err(wrong("JSON, and not an object".to_owned())),
    }
}

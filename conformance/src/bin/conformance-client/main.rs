//! The client that the official conformance suite drives: one process a scenario, written on the public interface alone.
//!
//! `conformance-client URL` takes the scenario, the revision and the scenario's own data from the environment, as the
//! suite sets them. It ends with 0 only where it saw with its own eyes that the scenario went as it should.

mod asking;
mod case;
mod headers;
mod lifecycle;
mod schemas;
mod skills;
mod streams;
mod tools;

use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use crate::case::{Case, Failure};

/// How long a scenario may take before the program ends itself: the suite does not end it.
const WATCHDOG: Duration = Duration::from_secs(25);

/// What a scenario does.
type Play = Pin<Box<dyn Future<Output = Result<(), Failure>>>>;

/// Begins a scenario, or gives nothing where its name is unknown.
#[rustfmt::skip]
fn play(case: Case) -> Option<Play> {
    Some(match case.scenario.as_str() {
        "initialize" => Box::pin(lifecycle::initialize(case)),
        "request-metadata" => Box::pin(lifecycle::request_metadata(case)),
        "tools_call" => Box::pin(tools::call(case)),
        "elicitation-sep1034-client-defaults" => Box::pin(asking::defaults(case)),
        "sep-2322-client-request-state" => Box::pin(asking::request_state(case)),
        "sse-retry" => Box::pin(streams::retry(case)),
        "http-standard-headers" => Box::pin(headers::standard(case)),
        "http-custom-headers" => Box::pin(headers::custom(case)),
        "http-invalid-tool-headers" => Box::pin(headers::invalid(case)),
        "json-schema-ref-no-deref" => Box::pin(schemas::no_dereference(case)),
        "json-schema-2020-12-preservation" => Box::pin(schemas::preservation(case)),
        "sep-2640-client-no-prefetch" => Box::pin(skills::no_prefetch(case)),
        "sep-2640-client-verify-digest" => Box::pin(skills::digest(case)),
        "sep-2640-client-verify-size" => Box::pin(skills::size(case)),
        "sep-2640-client-verify-frontmatter" => Box::pin(skills::frontmatter(case)),
        _ => return None,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let outcome = tokio::time::timeout(WATCHDOG, run());
    match outcome
        .await
        .unwrap_or_else(|_| Err(format!("the scenario did not end within {WATCHDOG:?}").into()))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let mut text = format!("conformance-client: {failure}\n");
            let mut cause = failure.source();
            while let Some(error) = cause {
                text += &format!("  because {error}\n");
                cause = error.source();
            }
            // Where the standard error is closed there is nobody left to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let case = Case::from_environment()?;
    let name = case.scenario.clone();
    let play = play(case).ok_or_else(|| format!("the scenario {name:?} is unknown"))?;
    play.await.map_err(|failure| format!("{name}: {failure}").into())
}

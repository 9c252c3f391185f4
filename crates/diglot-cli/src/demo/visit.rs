//! One connect to one scripted server under one policy, and what the three of them tell together.

use std::sync::Arc;
use std::time::Duration;

use diglot::http::StreamableHttp;
use diglot::lifecycle::{Negotiation, Saw, TrailStep};
use diglot::{Client, Downgrade, Error, Revision, Transport};
use serde_json::{Value, json};

use super::heard::Heard;
use super::http::InProcess;
use super::pipe;
use super::script::{Part, Server, Stage, Wire};
use super::verdict::Verdict;
use crate::tap::Tapped;

/// How long the probe of a server that never answers it is waited for.
pub(super) const SHORT: Duration = Duration::from_millis(300);
/// How long any other answer may take; they come at once, unless the machine is very busy.
const LONG: Duration = Duration::from_secs(5);

/// What one connect came to.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) verdict: Verdict,
    /// The wire in use at the end, where the connect succeeded.
    pub(super) transport: Option<&'static str>,
    /// What the caller of the SDK reads, where it failed.
    pub(super) error: Option<String>,
    negotiation: Negotiation,
}

/// Three visits to the same server, one a policy.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) server: &'static Server,
    pub(super) visits: [Visit; 3],
}

/// A tool that was listed and called, by the same lines whatever the server.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) server: &'static Server,
    pub(super) revision: Revision,
    pub(super) tools: Vec<String>,
    pub(super) sum: i64,
    /// The methods that the client sent from the first line to the last, in their order.
    pub(super) sent: Vec<String>,
}

/// Returns the policies, in the order of the columns.
pub(super) fn policies() -> [Downgrade; 3] {
    [Downgrade::Conservative, Downgrade::Standard, Downgrade::Lenient]
}

/// Connects to a server of its own under a policy, and leaves it again.
pub(super) async fn visit(server: &'static Server, policy: Downgrade) -> Visit {
    match connect(server, policy, Heard::default()).await {
        Ok(client) => {
            let visit = Visit {
                verdict: Verdict::Connected(client.revision()),
                transport: Some(client.transport_name()),
                error: None,
                negotiation: client.negotiation(),
            };
            client.close().await;
            visit
        }
        Err(error) => Visit {
            verdict: Verdict::of(&error),
            transport: None,
            negotiation: error.negotiation().cloned().unwrap_or_default(),
            error: Some(error.to_string()),
        },
    }
}

/// Connects, lists the tools and calls the one that every sound server has.
///
/// What goes wrong, and a wrong sum, is told as a sentence.
pub(super) async fn call(server: &'static Server) -> Result<Called, String> {
    let name = server.name;
    match try_call(server).await {
        Ok(called) if called.sum == 42 => Ok(called),
        Ok(called) => Err(format!("{name}: 19 + 23 is {}", called.sum)),
        Err(error) => Err(format!("{name}: the call failed: {error}")),
    }
}

async fn try_call(server: &'static Server) -> Result<Called, Box<dyn std::error::Error + Send + Sync>> {
    let heard = Heard::default();
    let client = connect(server, Downgrade::Standard, heard.clone()).await?;
    let tools = client.list_tools().await?;
    let sum = client.call_tool("add", json!({ "a": 19, "b": 23 })).await?.parse()?;
    let called = Called {
        server,
        revision: client.revision(),
        tools: tools.into_iter().map(|tool| tool.name).collect(),
        sum,
        sent: heard.methods(),
    };
    client.close().await;
    Ok(called)
}

async fn connect(server: &'static Server, policy: Downgrade, heard: Heard) -> Result<Client, Error> {
    let builder = Client::builder("diglot-demo", env!("CARGO_PKG_VERSION"))
        .downgrade(policy)
        .probe_timeout(if server.is_silent() { SHORT } else { LONG })
        .initialize_timeout(LONG)
        .timeout(LONG);
    builder.connect(Tapped::new(transport(server)?, heard)).await
}

/// Starts a performance of a server, and returns the way to it.
fn transport(server: &'static Server) -> Result<Box<dyn Transport>, Error> {
    let name = server.name;
    let over_http = |url, client| StreamableHttp::over(url, client);
    Ok(match (server.part, server.wire) {
        (Part::Sound(sound), Wire::Pipe) => Box::new(pipe::sound(sound, name)),
        (Part::Scripted(script), Wire::Pipe) => Box::new(pipe::scripted(Arc::new(Stage::new(name, script)))),
        (Part::Sound(sound), Wire::Http) => {
            let service = sound.server(name).into_http_service().any_host();
            Box::new(over_http("http://localhost/mcp", InProcess::Sound(service))?)
        }
        (Part::Sound(sound), Wire::HttpSse) => {
            let service = sound.server(name).into_http_service().any_host().http_sse("/sse", "/messages");
            Box::new(over_http("http://localhost/sse", InProcess::Sound(service))?)
        }
        (Part::Scripted(script), Wire::Http | Wire::HttpSse) => {
            let stage = Arc::new(Stage::new(name, script));
            Box::new(over_http("http://localhost/mcp", InProcess::Scripted(stage))?)
        }
    })
}

impl Finding {
    /// Returns each policy's name, what it decided, and what it had to decide.
    pub(super) fn decisions(&self) -> impl Iterator<Item = (&'static str, &Visit, Verdict)> {
        let names = policies().map(|policy| policy.name());
        let columns = names.into_iter().zip(&self.visits).zip(self.server.expected);
        columns.map(|((name, visit), expected)| (name, visit, expected))
    }

    /// Returns a sentence for each decision that is not the expected one.
    pub(super) fn surprises(&self) -> Vec<String> {
        let wrong = self.decisions().filter(|(_, visit, expected)| visit.verdict != *expected);
        wrong
            .map(|(policy, visit, expected)| {
                let error = visit.error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
                let (name, verdict) = (self.server.name, visit.verdict);
                format!("{name}: {policy} decided {verdict}, not {expected}{error}")
            })
            .collect()
    }

    /// Says in a few words what the server answered to the probe.
    pub(super) fn answered(&self) -> String {
        let probe = self.trail().first();
        probe.map_or_else(|| "nothing was asked".to_owned(), |step| describe(&step.saw))
    }

    /// Says in one sentence why the standard policy decided as it did.
    pub(super) fn why(&self) -> String {
        let trail = self.trail();
        let decisive = match self.standard().verdict {
            // The probe's answer decides, save where the transport is changed after it.
            Verdict::Connected(_) => trail.iter().find(|step| step.sent == "GET").or(trail.first()),
            _ => trail.last(),
        };
        decisive.map(|step| step.why.clone()).unwrap_or_default()
    }

    fn standard(&self) -> &Visit {
        let [_, standard, _] = &self.visits;
        standard
    }

    fn trail(&self) -> &[TrailStep] {
        &self.standard().negotiation.trail
    }
}

fn describe(saw: &Saw) -> String {
    let status = saw.http_status.map(|status| format!("{status} ")).unwrap_or_default();
    let versions = saw.versions.join(", ");
    match (saw.kind, saw.code) {
        ("silence", _) => format!("silence for {} ms", SHORT.as_millis()),
        ("exited", _) => "closes the pipe".to_owned(),
        ("discover-result", _) => format!("{status}discovery of {versions}"),
        (_, Some(code)) => {
            let id = saw.id.filter(|id| *id != "ours").map(|id| format!(", id {id}")).unwrap_or_default();
            let list = if versions.is_empty() { String::new() } else { format!(", supported: {versions}") };
            format!("{status}{code} \"{}\"{id}{list}", message(&saw.excerpt))
        }
        ("web-page", _) => format!("{status}web page \"{}\"", title(&saw.excerpt)),
        _ if saw.excerpt.is_empty() => format!("{status}without a body"),
        _ => format!("{status}\"{}\"", saw.excerpt),
    }
}

/// Finds the message of a JSON-RPC error in an excerpt: a body, or the error's own words with its code.
fn message(excerpt: &str) -> String {
    let body = serde_json::from_str::<Value>(excerpt).unwrap_or_default();
    match body.pointer("/error/message").and_then(Value::as_str) {
        Some(message) => message.to_owned(),
        None => excerpt.split_once(" (code ").map_or(excerpt, |(message, _)| message).to_owned(),
    }
}

/// Finds the title of a web page.
fn title(page: &str) -> &str {
    let after = page.split_once("<title>").map_or(page, |(_, after)| after);
    after.split_once("</title>").map_or(after, |(title, _)| title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::sound::Sound;

    #[tokio::test]
    async fn a_decision_that_is_not_the_expected_one_is_told() {
        static SERVER: Server = Server {
            name: "stubborn",
            wire: Wire::Pipe,
            part: Part::Sound(Sound::Modern),
            expected: [Verdict::Connected(Revision::V2026_07_28), Verdict::Exited, Verdict::Refused],
        };
        let [conservative, standard, lenient] = policies().map(|policy| visit(&SERVER, policy));
        let visits = [conservative.await, standard.await, lenient.await];
        let finding = Finding { server: &SERVER, visits };
        assert_eq!(
            finding.surprises(),
            [
                "stubborn: standard decided modern, not closed",
                "stubborn: lenient decided modern, not refused"
            ]
        );
    }
}

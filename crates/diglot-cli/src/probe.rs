//! `diglot probe`: what a server is, and how that was found out.

use std::time::{Duration, Instant};

use anstyle::Style;
use diglot::lifecycle::TrailStep;
use diglot::{Client, Implementation, Negotiation};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Options, Probe};
use crate::connect::{Connected, Session, open};
use crate::failure::Failure;
use crate::output::{
    BAD, BOLD, DIM, Ending, GOOD, ODD, Table, columns, first_line, json_line, pad, plain, shorten,
};

/// Negotiates with a server and tells how it went.
pub(crate) async fn run(probe: &Probe, session: &Session) -> Ending {
    let began = Instant::now();
    let opened = open(session, probe.target.as_deref(), &probe.options).await;
    let elapsed = began.elapsed();
    let look = &probe.options.look;
    match opened {
        Ok(connected) if look.json => Ending::good(json_line(&Success::of(&connected, elapsed))),
        Ok(connected) => Ending::good(told(&connected, elapsed, columns())),
        Err(failure) => {
            let stdout = match look.json {
                true => json_line(&Failed::of(&failure, &probe.options, elapsed)),
                false => told_failure(&failure, columns()),
            };
            Ending { stdout: stdout.into(), exit: failure.kind.exit(), failure: Some(failure) }
        }
    }
}

/// The object of a success; scripts depend on its keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Success<'a> {
    ok: bool,
    target: &'a str,
    transport: &'static str,
    era: &'static str,
    protocol_version: &'static str,
    supported_versions: Vec<String>,
    server: Option<Implementation>,
    capabilities: Box<RawValue>,
    instructions: Option<String>,
    policy: &'static str,
    elapsed_ms: u64,
    trail: Vec<TrailStep>,
}

impl<'a> Success<'a> {
    fn of(connected: &'a Connected, elapsed: Duration) -> Self {
        let Connected { client, target, .. } = connected;
        let negotiation = connected.negotiation();
        Self {
            ok: true,
            target,
            transport: client.transport_name(),
            era: client.era().as_str(),
            protocol_version: client.revision().as_str(),
            supported_versions: client.supported_versions(),
            server: client.server(),
            capabilities: client.raw_capabilities(),
            instructions: client.instructions(),
            policy: negotiation.policy,
            elapsed_ms: millis(elapsed),
            trail: negotiation.trail,
        }
    }
}

/// The object of a failure; scripts depend on its keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failed<'a> {
    ok: bool,
    target: Option<&'a str>,
    error: &'a Failure,
    policy: &'static str,
    elapsed_ms: u64,
    trail: &'a [TrailStep],
}

impl<'a> Failed<'a> {
    fn of(failure: &'a Failure, options: &Options, elapsed: Duration) -> Self {
        Self {
            ok: false,
            target: failure.target.as_deref(),
            error: failure,
            policy: options.downgrade.name(),
            elapsed_ms: millis(elapsed),
            trail: failure.trail(),
        }
    }
}

fn millis(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn told(connected: &Connected, elapsed: Duration, width: usize) -> String {
    let Connected { client, target, .. } = connected;
    let mut out = format!(
        "{GOOD}{}{GOOD:#} server at revision {BOLD}{}{BOLD:#}, over {}, in {} ms\n\n",
        client.era(),
        client.revision(),
        client.transport_name(),
        millis(elapsed)
    );
    for (name, value) in facts(client, target) {
        out.push_str(&format!(
            "  {DIM}{}{DIM:#}{}\n",
            pad(name, 14),
            shorten(&value, width.saturating_sub(17))
        ));
    }
    out.push_str(&told_trail(&connected.negotiation(), width));
    out
}

fn facts(client: &Client, target: &str) -> Vec<(&'static str, String)> {
    let server = client.server().map_or_else(
        || "does not identify itself".to_owned(),
        |server| match server.title {
            Some(title) => format!("{title} ({} {})", server.name, server.version),
            None => format!("{} {}", server.name, server.version),
        },
    );
    let capabilities = client.capabilities().names();
    let mut facts = vec![
        ("target", target.to_owned()),
        ("server", server),
        ("versions", client.supported_versions().join(", ")),
        ("capabilities", if capabilities.is_empty() { "none".to_owned() } else { capabilities.join(", ") }),
    ];
    facts.extend(client.instructions().map(|text| ("instructions", text)));
    facts.into_iter().map(|(name, value)| (name, first_line(&value))).collect()
}

fn told_failure(failure: &Failure, width: usize) -> String {
    let Some(negotiation) = &failure.negotiation else { return String::new() };
    let target = failure.target.as_deref().unwrap_or("the server");
    let verdict = format!("{BAD}not connected{BAD:#} to {}: {}\n", plain(target), failure.kind.as_str());
    verdict + &told_trail(negotiation, width)
}

fn told_trail(negotiation: &Negotiation, width: usize) -> String {
    if negotiation.trail.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for step in &negotiation.trail {
        let sent = match step.protocol_version {
            Some(version) => format!("{} {version}", step.sent),
            None => step.sent.to_owned(),
        };
        let why = format!("{} ({}, {} ms)", step.why, step.rule, step.elapsed_ms);
        table.row([
            (format!("  {}", step.step), DIM),
            (sent, Style::new()),
            (first_line(&step.saw.to_string()), Style::new()),
            (step.verdict.to_owned(), style_of(step.verdict)),
            (plain(&why).into_owned(), DIM),
        ]);
    }
    format!(
        "\n{DIM}Mode {}, policy {}:{DIM:#}\n{}",
        negotiation.mode,
        negotiation.policy,
        table.render(width)
    )
}

fn style_of(verdict: &str) -> Style {
    match verdict {
        "modern" => GOOD,
        "legacy" | "probe-again" | "initialize-again" | "http+sse" | "noted" => ODD,
        _ => BAD,
    }
}

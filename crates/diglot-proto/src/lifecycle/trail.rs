//! The record of a negotiation: every step, what came back, and why it meant what it meant.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::lifecycle::{Downgrade, Evidence, Mode, Seen, words};

/// All steps of one negotiation, for people ([`Display`](fmt::Display)) and for programs (`Serialize`).
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Negotiation {
    /// The policy's name.
    pub policy: &'static str,
    /// The mode's name.
    pub mode: &'static str,
    /// The steps, in their order.
    pub trail: Vec<TrailStep>,
}

/// One request of a negotiation and what it led to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TrailStep {
    /// The step's number, from 1.
    pub step: usize,
    /// The method that was sent; `GET` for the HTTP+SSE stream, `nothing` where a memory was used.
    pub sent: &'static str,
    /// The version that was offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<&'static str>,
    /// What came back.
    pub saw: Saw,
    /// The rule that applies: a word that stays stable.
    pub rule: &'static str,
    /// What the rule says under this policy.
    pub verdict: &'static str,
    /// One plain sentence why.
    pub why: String,
    /// How long the answer took, in milliseconds.
    pub elapsed_ms: u64,
}

/// What came back in one step.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Saw {
    /// The kind of answer.
    pub kind: &'static str,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// The JSON-RPC error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// What kind of id the answer carried, where it was an error: `ours`, `null`, `absent` or another kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'static str>,
    /// The versions that the answer lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The beginning of what came.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

impl Saw {
    /// Sums up a piece of evidence.
    pub fn of(evidence: &Evidence) -> Self {
        let (code, id) = match &evidence.seen {
            Seen::Error { error, ours: true, .. } => (Some(error.code), Some("ours")),
            Seen::Error { error, id, .. } => (Some(error.code), Some(id.kind())),
            Seen::ForeignReply(id) => (None, Some(id.kind())),
            _ => (None, None),
        };
        Self {
            kind: evidence.seen.kind(),
            http_status: evidence.status,
            code,
            id,
            versions: versions(evidence),
            excerpt: evidence.excerpt.clone(),
        }
    }
}

/// Returns the versions that an answer lists, in its words.
pub(super) fn versions(evidence: &Evidence) -> Vec<String> {
    match &evidence.seen {
        Seen::Discovery(discovery) => discovery.supported_versions.clone(),
        Seen::Initialization(initialization) => vec![initialization.protocol_version.clone()],
        Seen::Error { error, .. } => words::listed(error),
        _ => Vec::new(),
    }
}

impl Negotiation {
    pub(super) fn new(mode: Mode, downgrade: &Downgrade) -> Self {
        Self { policy: downgrade.name(), mode: mode.as_str(), trail: Vec::new() }
    }

    pub(super) fn record(&mut self, step: TrailStep) {
        let number = self.trail.len() + 1;
        self.trail.push(TrailStep { step: number, ..step });
    }
}

impl TrailStep {
    pub(super) fn new(sent: &'static str, evidence: &Evidence, elapsed: Duration) -> Self {
        Self {
            step: 0,
            sent,
            protocol_version: None,
            saw: Saw::of(evidence),
            rule: "",
            verdict: "",
            why: String::new(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl TrailStep {
    /// A step in which nothing is sent, since the server is remembered.
    pub(super) fn of_memory() -> Self {
        let saw = Saw { kind: "memory", ..Saw::default() };
        Self {
            step: 0,
            sent: "nothing",
            protocol_version: None,
            saw,
            rule: "",
            verdict: "",
            why: String::new(),
            elapsed_ms: 0,
        }
    }
}

impl fmt::Display for Negotiation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode {}, policy {}", self.mode, self.policy)?;
        for step in &self.trail {
            write!(f, "\n{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TrailStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.step, self.sent)?;
        if let Some(version) = self.protocol_version {
            write!(f, " at {version}")?;
        }
        write!(f, " -> {}", self.saw)?;
        write!(f, "; {}: {} ({}; {} ms)", self.rule, self.verdict, self.why, self.elapsed_ms)
    }
}

impl fmt::Display for Saw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(status) = self.http_status {
            write!(f, "{status} ")?;
        }
        f.write_str(self.kind)?;
        if let Some(code) = self.code {
            write!(f, " {code}")?;
        }
        if let Some(id) = self.id.filter(|id| *id != "ours") {
            write!(f, " with {id} id")?;
        }
        if !self.versions.is_empty() {
            write!(f, " [{}]", self.versions.join(", "))?;
        }
        Ok(())
    }
}

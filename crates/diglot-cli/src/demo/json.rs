//! The tour as scripts read it: one object with a fixed set of keys.

use serde_json::{Map, Value, json};

use super::visit::{Called, Finding, Visit};

/// Returns the whole tour as one object; `ok` says whether all went as expected.
pub(super) fn tour(findings: &[Finding], calls: &[Called], unexpected: &[String]) -> Value {
    json!({
        "servers": findings.iter().map(server).collect::<Vec<_>>(),
        "calls": calls.iter().map(call).collect::<Vec<_>>(),
        "unexpected": unexpected,
        "ok": unexpected.is_empty(),
    })
}

fn server(finding: &Finding) -> Value {
    let decisions: Map<String, Value> = finding
        .decisions()
        .map(|(policy, visit, expected)| (policy.to_owned(), decision(visit, visit.verdict == expected)))
        .collect();
    json!({
        "name": finding.server.name,
        "binding": finding.server.wire.as_str(),
        "answered": finding.answered(),
        "decisions": decisions,
        "why": finding.why(),
    })
}

/// Returns a decision in the words of `diglot probe --json`.
fn decision(visit: &Visit, is_expected: bool) -> Value {
    match visit.verdict.revision() {
        Some(revision) => json!({
            "ok": true,
            "era": revision.era().as_str(),
            "protocolVersion": revision,
            "transport": visit.transport,
            "expected": is_expected,
        }),
        None => json!({
            "ok": false,
            "error": { "kind": visit.verdict.kind(), "message": visit.error },
            "expected": is_expected,
        }),
    }
}

fn call(called: &Called) -> Value {
    json!({
        "name": called.server.name,
        "binding": called.server.wire.as_str(),
        "era": called.revision.era().as_str(),
        "protocolVersion": called.revision,
        "tools": called.tools,
        "result": called.sum,
        "sent": called.sent,
    })
}

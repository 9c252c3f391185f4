//! Which answers say that a session is gone, row by row.

use diglot_proto::http::session::{Refusal, SessionLoss};

fn row(status: u16, code: Option<i64>, words: &str) -> Option<SessionLoss> {
    let refusal = Refusal::new(status).words(words);
    code.map_or(refusal, |code| refusal.code(code)).lost_session()
}

#[test]
fn every_shape_of_a_dead_session_in_the_field_is_recognised() {
    let long = format!("Session not found: {}", "x".repeat(10_000));
    for (status, code, words, expected) in [
        // The specification, whatever the body says.
        (404, None, "", SessionLoss::NotFound),
        (404, None, "404 page not found", SessionLoss::NotFound),
        (404, None, "Invalid session ID", SessionLoss::NotFound),
        (404, Some(-32001), "Session not found", SessionLoss::NotFound),
        (404, Some(-32600), "Session has been terminated", SessionLoss::NotFound),
        (410, None, "", SessionLoss::Gone),
        // Servers that took a popular example for the rule.
        (400, Some(-32000), "Bad Request: No valid session ID provided", SessionLoss::Refused),
        (400, Some(-32000), "Bad Request: Server not initialized", SessionLoss::Refused),
        (400, Some(-32000), "Bad Request: Mcp-Session-Id header is required", SessionLoss::Refused),
        (400, Some(-32600), "Bad Request: Missing session ID", SessionLoss::Refused),
        (400, Some(-32600), "Unknown or missing Mcp-Session-Id", SessionLoss::Refused),
        (400, None, "Invalid session ID", SessionLoss::Refused),
        (400, None, "session expired", SessionLoss::Refused),
        (400, None, r#"{"error":"Session [missing_session_id] not found"}"#, SessionLoss::Refused),
        (400, None, &long, SessionLoss::Refused),
        (409, None, "Conflict: session is not active", SessionLoss::Refused),
        (409, Some(-32000), "Unknown session", SessionLoss::Refused),
        (422, None, "Unexpected message, expect initialize request", SessionLoss::Refused),
        // A server that calls it a matter of authorisation.
        (401, None, "Unauthorized: Session not found", SessionLoss::Unauthorized),
        (401, Some(-32000), "Unauthorized: invalid session ID", SessionLoss::Unauthorized),
        // Gateways that wrap what a server behind them says.
        (500, Some(-32603), "Error: Bad Request: No valid session ID provided", SessionLoss::Failing),
        (503, None, "session not found on this instance", SessionLoss::Failing),
        (502, None, "upstream: unknown session", SessionLoss::Failing),
    ] {
        assert_eq!(row(status, code, words), Some(expected), "{status} {code:?} {words}");
    }
}

#[test]
fn what_speaks_of_credentials_or_of_anything_else_is_no_dead_session() {
    for (status, code, words) in [
        (401, None, ""),
        (401, None, "Unauthorized"),
        (401, None, "invalid_token"),
        (401, None, "Session expired, please log in again"),
        (401, None, "Your session has expired"),
        (401, None, "Token invalid: user session not found"),
        (401, Some(-32000), "Authentication required: no such session"),
        (401, None, r#"{"errors":["Unauthorized"]}"#),
        (403, None, "Session not found"),
        (403, None, "Forbidden"),
        (400, None, ""),
        (400, Some(-32600), "Invalid Request"),
        (400, Some(-32602), "Invalid params: unknown session id"),
        (404, Some(-32601), "Method not found"),
        (400, Some(-32601), "Method not found: session/get"),
        (405, None, "Session not found"),
        (429, None, "too many sessions: session not found"),
        (500, None, "Internal Server Error"),
        (503, None, "Service Unavailable"),
        (500, None, "the browser session is closed"),
        (504, None, "unknown session"),
        (200, None, "Session not found"),
        (200, Some(-32001), "Session not found"),
    ] {
        assert_eq!(row(status, code, words), None, "{status} {code:?} {words}");
    }
}

#[test]
fn a_challenge_is_always_a_demand_for_credentials() {
    let refusal = Refusal::new(401).words("Unauthorized: Session not found");
    assert_eq!(refusal.lost_session(), Some(SessionLoss::Unauthorized));
    assert_eq!(refusal.challenged().lost_session(), None);
}

#[test]
fn without_an_id_only_a_plain_demand_for_one_counts() {
    let lost = |status, words| Refusal::new(status).words(words).without_id().lost_session();
    for words in [
        "Bad Request: Mcp-Session-Id header is required",
        "Bad Request: Missing session ID",
        "Bad Request: No valid session ID provided",
    ] {
        assert_eq!(lost(400, words), Some(SessionLoss::Refused), "{words}");
    }
    for (status, words) in [
        (400, "Bad Request: Server not initialized"),
        (400, "the session is closed"),
        (400, "Invalid Request"),
        (401, "Missing session ID"),
        (404, "Session not found"),
        (410, "Gone"),
        (503, "unknown session id"),
    ] {
        assert_eq!(lost(status, words), None, "{status} {words}");
    }
}

#[test]
fn a_server_that_refused_the_request_itself_cannot_have_acted() {
    let losses = [
        SessionLoss::NotFound,
        SessionLoss::Gone,
        SessionLoss::Refused,
        SessionLoss::Unauthorized,
        SessionLoss::Failing,
        SessionLoss::Resuming,
    ];
    let names: Vec<_> = losses.iter().filter(|loss| !loss.is_refusal()).map(|loss| loss.as_str()).collect();
    assert_eq!(names, ["failing", "resuming"]);
}

//! Every row of the table, under every policy, over both bindings. This is a table and longer for that reason.

use diglot_proto::lifecycle::{Asked, Binding, Downgrade, Evidence, FailureKind as Kind, Seen};
use diglot_proto::version::Revision;

use super::Next::{self, Fails, HttpSse, Legacy, Modern, Probe};
use super::{MOMENT, discovered, error, http, json, line, negotiator, opening, refused, void};

const L: Next = Legacy(Revision::V2025_11_25);
const REFUSED: Next = Fails(Kind::DowngradeRefused);
const NO_MUTUAL: Next = Fails(Kind::NoMutualVersion);
const PROTOCOL: Next = Fails(Kind::Protocol);
const STATUS: Next = Fails(Kind::HttpStatus);
const NOT_MCP: Next = Fails(Kind::NotMcp);
const TIMEOUT: Next = Fails(Kind::Timeout);

struct Row {
    rule: &'static str,
    what: &'static str,
    evidence: Evidence,
    expected: [Next; 3],
}

fn row(rule: &'static str, what: &'static str, evidence: Evidence, expected: [Next; 3]) -> Row {
    Row { rule, what, evidence, expected }
}

/// A JSON-RPC answer with our id means the same on a pipe and in a 2xx.
fn both(rule: &'static str, what: &'static str, text: &str, expected: [Next; 3]) -> [Row; 2] {
    [row(rule, what, line(text, Asked::Discover), expected), row(rule, what, json(200, text), expected)]
}

fn check(rows: impl IntoIterator<Item = Row>) {
    for Row { rule, what, evidence, expected } in rows {
        let policies = [Downgrade::Conservative, Downgrade::Standard, Downgrade::Lenient];
        for (policy, expected) in policies.into_iter().zip(expected) {
            let label = format!("{what} over {:?} under {policy:?}", evidence.binding);
            let mut negotiator = negotiator(opening(evidence.binding, policy));
            assert_eq!(Next::of(&negotiator.start()), Probe, "{label}");
            let step = negotiator.observe(evidence.clone(), MOMENT);
            assert_eq!(Next::of(&step), expected, "{label}");
            let trail = &negotiator.negotiation().trail;
            assert_eq!(trail.len(), 1, "{label}");
            assert_eq!(trail[0].rule, rule, "{label}");
            assert!(!trail[0].why.is_empty(), "{label}");
        }
    }
}

#[test]
fn a_usable_discovery_is_final() {
    let all = [Modern; 3];
    check(both("discover-modern", "one modern revision", &discovered(r#""2026-07-28""#), all));
    check(both(
        "discover-modern",
        "all revisions",
        &discovered(r#""2024-11-05","2025-11-25","2026-07-28""#),
        all,
    ));
    check(both("discover-modern", "a future one too", &discovered(r#""2027-03-01","2026-07-28""#), all));
    let sloppy = r#"{"id":$ID,"result":{"supportedVersions":["2026-07-28",5,null],"capabilities":7,"ttlMs":-1,"instructions":null,"serverInfo":"x"}}"#;
    check(both("discover-modern", "odd fields", sloppy, all));
}

#[test]
fn a_listed_modern_revision_is_probed_at_any_status() {
    let text = refused(r#""2026-07-28","2025-11-25""#);
    check(both("version-mutual", "a mutual version", &text, [Probe; 3]));
    check(
        [400, 401, 403, 404, 500, 503]
            .map(|status| row("version-mutual", "a status", json(status, &text), [Probe; 3])),
    );
}

#[test]
fn identity_network_and_redirects_are_never_evidence() {
    let rpc = error(-32600, "denied");
    for body in ["", "nope", "<html></html>", &rpc] {
        let credentials = http(401, None, body, Asked::Discover);
        check([row("unauthorized", "401", credentials, [Fails(Kind::Unauthorized); 3])]);
        check([row("forbidden", "403", http(403, None, body, Asked::Discover), [Fails(Kind::Forbidden); 3])]);
    }
    let unreachable = Evidence::new(Binding::Http, None, Seen::Unreachable);
    check([row("unreachable", "no network", unreachable, [Fails(Kind::Unreachable); 3])]);
    let redirect = Evidence::http(302, Seen::Redirect("https://elsewhere.example".into()));
    check([row("redirected", "a redirect", redirect, [Fails(Kind::RedirectRefused); 3])]);
}

#[test]
fn codes_of_a_server_without_the_method_fall_back() {
    for code in [-32601, -32600, -32602] {
        check(both("rpc-legacy-code", "its code", &error(code, "no"), [L; 3]));
        check([row("rpc-legacy-code", "at 400", json(400, &error(code, "no")), [L; 3])]);
        for id in ["null", r#""server-error""#, r#""7""#, "7.0"] {
            check([row(
                "rpc-legacy-code",
                "a void or lenient id at 400",
                json(400, &void(id, code, "no")),
                [L; 3],
            )]);
        }
        let foreign = json(400, &void("99", code, "no"));
        let expected = [REFUSED, L, L];
        let rules = ["http-400-uncorrelated", "rpc-legacy-code", "rpc-legacy-code"];
        for (at, policy) in
            [Downgrade::Conservative, Downgrade::Standard, Downgrade::Lenient].into_iter().enumerate()
        {
            let mut negotiator = negotiator(opening(Binding::Http, policy));
            negotiator.start();
            assert_eq!(Next::of(&negotiator.observe(foreign.clone(), MOMENT)), expected[at]);
            assert_eq!(negotiator.negotiation().trail[0].rule, rules[at]);
        }
    }
    let absent = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#;
    check([row("rpc-legacy-code", "no id at 400", json(400, absent), [L; 3])]);
    check([row("rpc-legacy-code", "no id on a pipe", line(absent, Asked::Discover), [L; 3])]);
}

#[test]
fn a_message_that_refuses_the_revision_falls_back() {
    for message in [
        "Unsupported protocol version: 2026-07-28",
        "UNSUPPORTED PROTOCOL VERSION: 2026-07-28",
        "protocol version 2026-07-28 is not supported",
        "Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25, 2024-10-07)",
        "Bad Request: Unsupported protocol version (supported versions: 2025-11-25, 2025-06-18)",
    ] {
        check(both("rpc-names-version", message, &error(-32000, message), [L; 3]));
        check([row("http-400-prevalidation", message, json(400, &void("null", -32000, message)), [L; 3])]);
    }
    let future = "Unsupported protocol version: 2026-07-28 (supported versions: 2027-03-01)";
    check(both("rpc-other-code", "a future version", &error(-32000, future), [REFUSED, L, L]));
    let listed = "Unsupported protocol version: 2026-07-28 (supported versions: 2026-07-28)";
    check(both("rpc-other-code", "the version itself is listed", &error(-32000, listed), [REFUSED, L, L]));
    let older = "Unsupported protocol version: 2026-07-28 (supported versions: 2025-06-18, 2024-10-07)";
    let at_older = Legacy(Revision::V2025_06_18);
    check(both("rpc-names-version", "only an older one", &error(-32000, older), [at_older; 3]));
}

#[test]
fn any_other_code_is_legacy_but_for_the_conservative() {
    for code in [0, -32700, -32603, -32000, -32001, -32003, -32004, -32019, 1, -1, 404] {
        check(both("rpc-other-code", "its code", &error(code, "boom"), [REFUSED, L, L]));
        check([row("rpc-other-code", "at 400", json(400, &error(code, "boom")), [REFUSED, L, L])]);
    }
}

#[test]
fn a_modern_complaint_is_a_protocol_error_at_any_status() {
    for code in [-32020, -32021] {
        let text = error(code, "Header mismatch");
        check(both("rpc-modern-complaint", "its code", &text, [PROTOCOL, PROTOCOL, L]));
        let statuses = [400, 401, 404, 422, 500];
        check(statuses.map(|status| {
            row("rpc-modern-complaint", "a status", json(status, &text), [PROTOCOL, PROTOCOL, L])
        }));
    }
}

#[test]
fn a_refused_version_is_read_by_its_list() {
    let newest = Legacy(Revision::V2025_06_18);
    let cases = [
        ("version-list-legacy", r#""2025-06-18","2024-11-05""#, [newest; 3]),
        ("version-list-legacy", r#""2024-10-07","2025-06-18""#, [newest; 3]),
        ("version-list-missing", "", [L; 3]),
        ("version-list-missing", "1,2", [L; 3]),
        ("version-list-mixed", r#""2025-06-18","2027-03-01""#, [NO_MUTUAL, newest, newest]),
        ("version-list-mixed", r#""draft","2025-06-18""#, [NO_MUTUAL, newest, newest]),
        ("version-list-foreign", r#""2027-03-01""#, [NO_MUTUAL, NO_MUTUAL, L]),
        ("version-list-foreign", r#""draft","v9""#, [NO_MUTUAL, NO_MUTUAL, L]),
        ("version-list-foreign", r#""2024-10-07""#, [NO_MUTUAL, NO_MUTUAL, L]),
    ];
    for (rule, list, expected) in cases {
        check(both(rule, list, &refused(list), expected));
        check([400, 401, 500].map(|status| row(rule, list, json(status, &refused(list)), expected)));
    }
    let none = error(-32022, "Unsupported protocol version");
    check(both("version-list-missing", "no data", &none, [L; 3]));
    let odd = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x","data":"2025-11-25"}}"#;
    check(both("version-list-missing", "unreadable data", odd, [L; 3]));
}

#[test]
fn a_discovery_without_a_modern_revision_is_read_by_its_list() {
    let newest = Legacy(Revision::V2025_06_18);
    check(both(
        "discover-legacy-only",
        "legacy only",
        &discovered(r#""2025-06-18","2025-03-26""#),
        [newest; 3],
    ));
    let mixed = discovered(r#""2025-06-18","2027-03-01""#);
    check(both("version-list-mixed", "mixed", &mixed, [NO_MUTUAL, newest, newest]));
    check(both("version-list-foreign", "future", &discovered(r#""2027-03-01""#), [NO_MUTUAL, NO_MUTUAL, L]));
}

#[test]
fn a_result_that_is_no_discovery_is_legacy_but_for_the_conservative() {
    for result in
        [r#"{"ok":true}"#, r#"{"supportedVersions":[]}"#, r#"{"supportedVersions":"x"}"#, "[]", "4", "null"]
    {
        let text = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
        check(both("result-not-discover", result, &text, [REFUSED, L, L]));
    }
    let odd =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"task","supportedVersions":["2026-07-28"]}}"#;
    check(both("unknown-result-type", "an unknown type", odd, [PROTOCOL; 3]));
}

#[test]
fn a_400_without_our_id_is_read_by_its_message() {
    let prevalidation = [
        "Bad Request: No valid session ID provided",
        "Bad Request: Mcp-Session-Id header is required",
        "Bad Request: Server not initialized",
        "Unexpected message, expect initialize request",
    ];
    for message in prevalidation {
        check([row("http-400-prevalidation", message, json(400, &void("null", -32000, message)), [L; 3])]);
    }
    check([
        row("http-400-uncorrelated", "null", json(400, &void("null", -32000, "boom")), [REFUSED, L, L]),
        row("http-400-uncorrelated", "foreign", json(400, &void("99", -32000, "boom")), [REFUSED, L, L]),
    ]);
}

#[test]
fn a_body_that_is_not_json_rpc_leaves_its_status() {
    let bodies =
        ["", "Bad Request", "<html><title>x</title></html>", r#"{"error":{"code":"invalid_payload"}}"#];
    for body in bodies {
        let at = |status| http(status, Some("text/plain"), body, Asked::Discover);
        check([row("http-400-opaque", body, at(400), [REFUSED, L, L])]);
        check([404, 405].map(|status| row("http-not-here", body, at(status), [L; 3])));
        let request = [406, 409, 410, 411, 412, 413, 415, 417, 422, 424, 426, 428, 431, 418];
        check(request.map(|status| row("http-request-refused", body, at(status), [REFUSED, L, L])));
        let who = [402, 407, 408, 421, 423, 425, 429, 451];
        check(who.map(|status| row("http-who-or-when", body, at(status), [STATUS; 3])));
        check(
            [500, 501, 502, 503, 504, 599]
                .map(|status| row("http-server-error", body, at(status), [STATUS, STATUS, L])),
        );
    }
}

#[test]
fn a_json_rpc_error_at_another_status_leaves_the_status() {
    let text = error(-32603, "boom");
    check([
        row("http-not-here", "404", json(404, &text), [L; 3]),
        row("http-not-here", "405", json(405, &error(-32601, "no")), [L; 3]),
        row("http-404-method-unknown", "404", json(404, &error(-32601, "no")), [L; 3]),
        row(
            "http-request-refused",
            "406",
            json(406, &void(r#""server-error""#, -32600, "x")),
            [REFUSED, L, L],
        ),
        row("http-who-or-when", "429", json(429, &text), [STATUS; 3]),
        row("http-server-error", "500", json(500, &error(-32601, "no")), [STATUS, STATUS, L]),
    ]);
}

#[test]
fn a_success_without_an_answer_is_read_by_what_it_is() {
    let html = http(200, Some("text/html; charset=utf-8"), "<html>Sign in</html>", Asked::Discover);
    let text = http(200, Some("text/plain"), "OK", Asked::Discover);
    check([
        row("http-no-answer", "empty", json(200, ""), [REFUSED, L, L]),
        row("http-no-answer", "202", json(202, ""), [REFUSED, L, L]),
        row("http-no-answer", "204", json(204, ""), [REFUSED, L, L]),
        row("http-no-answer", "an empty stream", Evidence::http(200, Seen::NoAnswer), [REFUSED, L, L]),
        row("http-web-page", "a page", html, [NOT_MCP, NOT_MCP, L]),
        row("http-web-page", "text", text, [NOT_MCP, NOT_MCP, L]),
        row("http-other-json", "JSON", json(200, r#"{"status":"ok"}"#), [REFUSED, L, L]),
        row("http-other-json", "an array of nothing", json(200, "[]"), [REFUSED, L, L]),
        row(
            "foreign-reply",
            "another's result",
            json(200, r#"{"jsonrpc":"2.0","id":99,"result":{}}"#),
            [PROTOCOL; 3],
        ),
        row("foreign-reply", "a null id", json(200, &void("null", -32601, "no")), [PROTOCOL; 3]),
    ]);
}

#[test]
fn silence_and_exits_are_read_by_the_binding() {
    check([
        row("silence-pipe", "a pipe", Evidence::pipe(Seen::Silence), [TIMEOUT, L, L]),
        row("silence-http", "HTTP", Evidence::new(Binding::Http, None, Seen::Silence), [TIMEOUT, TIMEOUT, L]),
        row("exited", "an exit", Evidence::pipe(Seen::Exited), [Fails(Kind::Exited), L, L]),
    ]);
}

#[test]
fn a_stream_that_opens_with_an_endpoint_is_the_old_transport() {
    check([row("endpoint-stream", "an endpoint", Evidence::http(200, Seen::EndpointEvent), [HttpSse; 3])]);
}

#[test]
fn an_answer_over_the_limit_proves_nothing() {
    let large = [Evidence::pipe(Seen::TooLarge(64)), Evidence::http(200, Seen::TooLarge(64))];
    check(large.map(|evidence| row("too-large", "a large answer", evidence, [PROTOCOL, PROTOCOL, L])));
}

//! Requests with an envelope, or that should have one.

use super::*;

/// The headers that belong to a method, without `Mcp-Name`.
fn headers(method: &str) -> Vec<(&str, &str)> {
    vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)]
}

#[test]
fn every_method_has_its_place_in_the_modern_era() {
    const NOT_FOUND: (u16, i64) = (404, -32601);
    for (method, params, about, refused) in [
        ("server/discover", json!({}), None, None),
        ("tools/list", json!({}), None, None),
        ("tools/call", json!({ "name": "add" }), Some("add"), None),
        ("resources/list", json!({}), None, None),
        ("resources/templates/list", json!({}), None, None),
        ("resources/read", json!({ "uri": "file:///a", "name": "b" }), Some("file:///a"), None),
        ("prompts/list", json!({}), None, None),
        ("prompts/get", json!({ "name": "ask" }), Some("ask"), None),
        ("completion/complete", json!({}), None, None),
        ("subscriptions/listen", json!({}), None, None),
        ("tasks/get", json!({ "taskId": "t" }), Some("t"), None),
        ("tasks/update", json!({ "taskId": "t" }), Some("t"), None),
        ("tasks/cancel", json!({ "taskId": "t" }), Some("t"), None),
        // Removed with the modern era
        ("initialize", json!({ "protocolVersion": "2025-11-25" }), None, Some(NOT_FOUND)),
        ("ping", json!({}), None, Some(NOT_FOUND)),
        ("logging/setLevel", json!({}), None, Some(NOT_FOUND)),
        ("resources/subscribe", json!({ "uri": "file:///a" }), None, Some(NOT_FOUND)),
        ("resources/unsubscribe", json!({ "uri": "file:///a" }), None, Some(NOT_FOUND)),
        ("tasks/result", json!({ "taskId": "t" }), None, Some(NOT_FOUND)),
        ("tasks/list", json!({}), None, Some(NOT_FOUND)),
        // For clients to answer
        ("sampling/createMessage", json!({}), None, Some(NOT_FOUND)),
        ("roots/list", json!({}), None, Some(NOT_FOUND)),
        ("elicitation/create", json!({}), None, Some(NOT_FOUND)),
        // No requests
        ("notifications/cancelled", json!({}), None, Some(NOT_FOUND)),
        ("notifications/progress", json!({}), None, Some(NOT_FOUND)),
        // Unknown
        ("unknown/method", json!({}), None, Some(NOT_FOUND)),
        ("tools/List", json!({}), None, Some(NOT_FOUND)),
    ] {
        let text = modern(method, params);
        let mut headers = headers(method);
        headers.extend(about.map(|about| ("mcp-name", about)));
        for offer in [DUAL, MODERN] {
            let by_http = by_http(&text, &headers, &offer);
            match refused {
                Some((status, code)) => assert_eq!(by_http, rejected(status, code), "{method}"),
                None => match &by_http {
                    Outcome::Modern(known, name) => assert_eq!((*known, name.as_deref()), (method, about)),
                    other => panic!("{method}: {other:?}"),
                },
            }
            assert_eq!(by_pipe(&text, &offer), by_http, "{method}");
        }
    }
}

#[test]
fn a_method_beyond_the_specification_is_taken_if_the_server_has_it() {
    let offer = MODERN.methods(&["cards/list", "ping"]);
    let taken = Outcome::Modern("beyond the specification", None);
    assert_eq!(by_pipe(&modern("cards/list", json!({})), &offer), taken);
    assert_eq!(by_pipe(&modern("cards/get", json!({})), &offer), rejected(404, -32601));
    assert_eq!(by_pipe(&modern("ping", json!({})), &offer), rejected(404, -32601));
}

#[test]
fn a_refusal_quotes_no_more_of_a_method_than_fits_a_line() {
    let method = "x\n".repeat(500);
    let rejection = rejection(&modern(&method, json!({})), None, &DUAL);
    assert!(rejection.error.message.starts_with(r"Method not found: x\nx\n"));
    assert!(rejection.error.message.len() < 700 && !rejection.error.message.contains('\n'));
}

#[test]
fn an_incomplete_or_odd_envelope_is_refused_by_the_name_of_its_key() {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    const INFO: &str = "io.modelcontextprotocol/clientInfo";
    const LEVEL: &str = "io.modelcontextprotocol/logLevel";
    let with = |key: &str, value: Value| {
        let mut meta = envelope("2026-07-28");
        meta[key] = value;
        json!({ "_meta": meta })
    };
    for (method, params, named) in [
        ("server/discover", json!({}), VERSION),
        ("server/discover", json!({ "_meta": {} }), VERSION),
        ("server/discover", json!({ "_meta": null }), VERSION),
        ("server/discover", json!({ "_meta": [] }), "`_meta` is no object"),
        ("server/discover", json!([]), "the parameters are no object"),
        ("subscriptions/listen", json!({}), VERSION),
        ("tasks/update", json!({ "taskId": "t" }), VERSION),
        ("tools/list", json!({ "_meta": { CAPABILITIES: {} } }), VERSION),
        ("tools/list", json!({ "_meta": { INFO: {} } }), VERSION),
        ("tools/list", json!({ "_meta": { LEVEL: "info" } }), VERSION),
        ("tools/list", json!({ "_meta": { VERSION: "2026-07-28" } }), CAPABILITIES),
        ("initialize", json!({ "_meta": { CAPABILITIES: {} } }), VERSION),
        ("tools/list", with(VERSION, json!(null)), VERSION),
        ("tools/list", with(VERSION, json!(20260728)), VERSION),
        ("tools/list", with(CAPABILITIES, json!([])), CAPABILITIES),
        ("tools/list", with(CAPABILITIES, json!(null)), CAPABILITIES),
        ("tools/list", with(INFO, json!("demo")), INFO),
        ("tools/list", with(LEVEL, json!(3)), LEVEL),
        ("tools/list", with("progressToken", json!({})), "progressToken"),
        ("tools/list", json!({ "_meta": { INFO: "demo" } }), VERSION),
    ] {
        let text = bare(method, params);
        let headers = headers(method);
        for (offer, headers) in [(DUAL, None), (DUAL, Some(&*headers)), (MODERN, None)] {
            let rejection = rejection(&text, headers, &offer);
            let answer = (rejection.status, rejection.error.code, rejection.error.message);
            assert!(answer.0 == 400 && answer.1 == -32602 && answer.2.contains(named), "{text}: {answer:?}");
            assert_eq!(rejection.id, Some(1.into()));
        }
    }
}

#[test]
fn a_client_need_not_say_who_it_is() {
    let text = modern("tools/list", json!({}));
    assert_eq!(by_pipe(&text, &DUAL), Outcome::Modern("tools/list", None));
}

#[test]
fn a_modern_header_calls_for_an_envelope() {
    let text = bare("tools/list", json!({}));
    assert_eq!(by_http(&text, &headers("tools/list"), &DUAL), rejected(400, -32602));
    let initialize = bare("initialize", json!({ "protocolVersion": "2025-11-25" }));
    assert_eq!(
        by_http(&initialize, &headers("initialize"), &DUAL),
        Outcome::Legacy(Some("initialize"), None)
    );
}

#[test]
fn a_version_that_is_not_served_is_refused_with_those_that_are() {
    for (version, offer, supported) in [
        ("v999.0.0", DUAL, &ALL[..1]),
        ("2027-01-01", MODERN, &ALL[..1]),
        ("", MODERN, &ALL[..1]),
        ("2025-11-25", MODERN, &ALL[..1]),
        ("2025-11-25", DUAL, &ALL[..1]),
    ] {
        // The rest of the envelope and the other headers may follow rules that are not known here.
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": version });
        let text = bare("server/discover", json!({ "_meta": meta }));
        for headers in [None, Some(&[("mcp-protocol-version", version)][..])] {
            let rejection = rejection(&text, headers, &offer);
            assert_eq!((rejection.status, rejection.error.code), (400, -32022), "{version}");
            assert_eq!(data(&rejection), json!({ "supported": supported, "requested": version }));
        }
    }
}

#[test]
fn a_version_is_sent_back_up_to_a_limit() {
    let version = "é".repeat(1000);
    let text = bare("tools/list", json!({ "_meta": envelope(&version) }));
    let rejection = rejection(&text, None, &MODERN);
    assert_eq!(data(&rejection)["requested"], json!("é".repeat(256)));
    assert!(rejection.error.message.len() < 300);
}

#[test]
fn headers_must_mirror_the_body() {
    let call = modern("tools/call", json!({ "name": "add" }));
    let about = |name: &str| modern("tools/call", json!({ "name": name }));
    const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
    const METHOD: (&str, &str) = ("mcp-method", "tools/call");
    const NAME: (&str, &str) = ("mcp-name", "add");
    for (text, headers, message) in [
        (&call, &[METHOD, NAME][..], "the MCP-Protocol-Version header is missing"),
        (&call, &[VERSION, VERSION, METHOD, NAME], "the MCP-Protocol-Version header is sent more than once"),
        (
            &call,
            &[("mcp-protocol-version", "2026-07-28, 2026-07-28"), METHOD, NAME],
            "the MCP-Protocol-Version header value '2026-07-28, 2026-07-28' does not match the body value '2026-07-28'",
        ),
        (
            &call,
            &[("mcp-protocol-version", "v999.0.0"), METHOD, NAME],
            "the MCP-Protocol-Version header value 'v999.0.0' does not match the body value '2026-07-28'",
        ),
        (
            &call,
            &[("mcp-protocol-version", "\u{1}"), METHOD, NAME],
            "the MCP-Protocol-Version header has a character that a header cannot have",
        ),
        (&call, &[VERSION, NAME], "the Mcp-Method header is missing"),
        (
            &call,
            &[VERSION, ("mcp-method", "TOOLS/CALL"), NAME],
            "the Mcp-Method header value 'TOOLS/CALL' does not match the body value 'tools/call'",
        ),
        (&call, &[VERSION, METHOD, METHOD, NAME], "the Mcp-Method header is sent more than once"),
        (&call, &[VERSION, METHOD], "the Mcp-Name header is missing"),
        (&call, &[VERSION, METHOD, NAME, NAME], "the Mcp-Name header is sent more than once"),
        (
            &call,
            &[VERSION, METHOD, ("mcp-name", "sub")],
            "the Mcp-Name header value 'sub' does not match the body value 'add'",
        ),
        (
            &about("=?base64?"),
            &[VERSION, METHOD, ("mcp-name", "=?base64?SGVsbG8?=")],
            "the Mcp-Name header is marked as Base64 and is not Base64 of UTF-8",
        ),
        (
            &about("é"),
            &[VERSION, METHOD, ("mcp-name", "é")],
            "the Mcp-Name header has a character that a header cannot have",
        ),
        (
            &modern("tools/call", json!({ "name": 5 })),
            &[VERSION, METHOD, ("mcp-name", "5")],
            "the Mcp-Name header value '5' stands for nothing in the body",
        ),
    ] {
        let rejection = rejection(text, Some(headers), &DUAL);
        assert_eq!((rejection.status, rejection.error.code), (400, -32020), "{headers:?}");
        assert_eq!(rejection.error.message, format!("Header mismatch: {message}"));
        assert_eq!(rejection.id, Some(1.into()));
    }
}

#[test]
fn headers_that_mirror_the_body_are_accepted() {
    for (name, header) in [
        ("add", "add"),
        ("add", "  add  "),
        ("add", "=?base64?YWRk?="),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        ("a, b", "a, b"),
        ("", ""),
    ] {
        let text = modern("tools/call", json!({ "name": name }));
        let mut headers = headers("tools/call");
        headers.extend([("mcp-name", header), ("mcp-session-id", "stale"), ("last-event-id", "7")]);
        assert_eq!(by_http(&text, &headers, &MODERN), Outcome::Modern("tools/call", Some(name.to_owned())));
    }
    // A name where the method has none means nothing, and a name that the body lacks is for the parameters to refuse.
    let mut with_name = headers("tools/list");
    with_name.push(("mcp-name", "x"));
    assert_eq!(
        by_http(&modern("tools/list", json!({})), &with_name, &DUAL),
        Outcome::Modern("tools/list", None)
    );
    let nameless = modern("tools/call", json!({}));
    assert_eq!(by_http(&nameless, &headers("tools/call"), &DUAL), Outcome::Modern("tools/call", None));
}

#[test]
fn the_checks_have_an_order() {
    let unsound = |version: &str| {
        bare("ping", json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": version } }))
    };
    const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
    // The header of the version, the version, the envelope, the other headers, the method.
    assert_eq!(by_http(&unsound("v999"), &[VERSION], &DUAL), rejected(400, -32020));
    assert_eq!(by_http(&unsound("v999"), &[("mcp-protocol-version", "v999")], &DUAL), rejected(400, -32022));
    assert_eq!(by_http(&unsound("2026-07-28"), &[VERSION], &DUAL), rejected(400, -32602));
    assert_eq!(by_http(&modern("ping", json!({})), &[VERSION], &DUAL), rejected(400, -32020));
    assert_eq!(by_http(&modern("ping", json!({})), &headers("ping"), &DUAL), rejected(404, -32601));
}

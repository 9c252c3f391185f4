//! Requests without an envelope, notifications and responses.

use diglot_proto::lifecycle::classify::{Verb, admit_batch, classify_in_batch, verb};

use super::*;

fn initialize() -> Value {
    bare("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }))
}

#[test]
fn every_method_has_its_place_in_the_legacy_era() {
    for (method, newest, oldest) in [
        ("initialize", true, true),
        ("ping", true, true),
        ("tools/list", true, true),
        ("tools/call", true, true),
        ("resources/subscribe", true, true),
        ("resources/unsubscribe", true, true),
        ("logging/setLevel", true, true),
        ("tasks/get", true, false),
        ("tasks/result", true, false),
        ("tasks/list", true, false),
        ("sampling/createMessage", false, false),
        ("roots/list", false, false),
        ("notifications/initialized", false, false),
        ("unknown/method", false, false),
    ] {
        let text = bare(method, json!({}));
        let known = |is_known: bool| is_known.then_some(method);
        for offer in [DUAL, OLD] {
            let outcome = by_pipe(&text, &offer);
            assert_eq!(outcome, Outcome::Legacy(known(newest), None), "{method}");
            let old = Offer::new(offer.modern, &[Revision::V2024_11_05]);
            assert_eq!(by_pipe(&text, &old), Outcome::Legacy(known(oldest), None), "{method}");
            let stated = if method == "initialize" { None } else { Some("2025-06-18") };
            let outcome = by_http(&text, &[("mcp-protocol-version", "2025-06-18")], &offer);
            assert_eq!(outcome, Outcome::Legacy(known(oldest), stated), "{method}");
        }
    }
}

#[test]
fn a_server_without_the_modern_era_takes_all_as_legacy() {
    let discover = modern("server/discover", json!({}));
    assert_eq!(by_pipe(&discover, &OLD), Outcome::Legacy(None, None));
    assert_eq!(by_pipe(&modern("tools/list", json!({})), &OLD), Outcome::Legacy(Some("tools/list"), None));
    // The answer from which a client of both eras sees that it must fall back.
    let rejection = rejection(&discover, Some(&[("mcp-protocol-version", "2026-07-28")]), &OLD);
    assert_eq!((rejection.status, rejection.error.code), (400, -32600));
    assert_eq!(
        rejection.error.message,
        "Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)"
    );
    assert_eq!(data(&rejection), json!({ "supported": ALL[1..], "requested": "2026-07-28" }));
}

#[test]
fn other_keys_of_meta_do_not_make_a_request_modern() {
    for meta in [
        json!({ "progressToken": 1 }),
        json!({ "progressToken": {} }),
        json!({ "io.modelcontextprotocol/related-task": { "taskId": "t" } }),
        json!({ "com.example/protocolVersion": "2026-07-28", "traceparent": "00" }),
        json!("odd"),
    ] {
        let text = bare("tools/list", json!({ "_meta": meta }));
        assert_eq!(by_pipe(&text, &DUAL), Outcome::Legacy(Some("tools/list"), None), "{text}");
    }
}

#[test]
fn the_header_of_a_legacy_request_names_a_revision_of_the_server() {
    let text = bare("tools/list", json!({}));
    let listed = |revision| Outcome::Legacy(Some("tools/list"), revision);
    for (headers, expected) in [
        (&[][..], listed(None)),
        (&[("mcp-protocol-version", "2025-03-26")], listed(Some("2025-03-26"))),
        (&[("mcp-protocol-version", " 2025-11-25 ")], listed(Some("2025-11-25"))),
        (&[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "other")], listed(Some("2025-11-25"))),
        (&[("mcp-protocol-version", "2024-10-07")], rejected(400, -32600)),
        (&[("mcp-protocol-version", "2027-01-01")], rejected(400, -32600)),
        (&[("mcp-protocol-version", "")], rejected(400, -32600)),
        (&[("mcp-protocol-version", "\u{1}")], rejected(400, -32600)),
        (&[("mcp-protocol-version", "2025-11-25"); 2], rejected(400, -32600)),
    ] {
        assert_eq!(by_http(&text, headers, &DUAL), expected, "{headers:?}");
        // `initialize` names its version in its parameters, and clients put all sorts into the header.
        let opened = by_http(&initialize(), headers, &DUAL);
        assert_eq!(opened, Outcome::Legacy(Some("initialize"), None), "{headers:?}");
    }
    let few = Offer::new(true, &[Revision::V2025_11_25]);
    assert_eq!(by_http(&text, &[("mcp-protocol-version", "2025-06-18")], &few), rejected(400, -32600));
}

#[test]
fn a_request_without_the_header_is_taken_for_2025_03_26() {
    for (headers, expected) in
        [(&[][..], Revision::V2025_03_26), (&[("mcp-protocol-version", "2025-11-25")], Revision::V2025_11_25)]
    {
        let text = bare("tools/list", json!({})).to_string();
        match classify(&message(&text), Some(&head(headers)), &DUAL) {
            Inbound::Legacy(legacy) => assert_eq!(legacy.assumed_revision(), expected),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_modern_server_tells_a_legacy_client_what_it_has() {
    const HEADER: &[(&str, &str)] = &[("mcp-protocol-version", "2025-06-18")];
    for (text, headers, requested) in [
        (initialize(), None, "2025-11-25"),
        (initialize(), Some(HEADER), "2025-11-25"),
        (bare("initialize", json!({})), Some(HEADER), "2025-06-18"),
        (bare("initialize", json!({ "protocolVersion": 7 })), None, ""),
        (bare("ping", json!({})), Some(HEADER), "2025-06-18"),
        (bare("tools/list", json!({})), Some(HEADER), "2025-06-18"),
    ] {
        let rejection = rejection(&text, headers, &MODERN);
        assert_eq!((rejection.status, rejection.error.code), (400, -32022), "{text}");
        assert_eq!(data(&rejection), json!({ "supported": ["2026-07-28"], "requested": requested }));
        assert!(rejection.error.message.ends_with("(supported versions: 2026-07-28)"));
        assert_eq!(rejection.id, Some(1.into()));
    }
}

#[test]
fn a_modern_server_misses_the_envelope_of_a_request_that_names_no_version() {
    for method in ["ping", "tools/list", "logging/setLevel", "unknown/method"] {
        for headers in [None, Some(&[][..])] {
            let rejection = rejection(&bare(method, json!({})), headers, &MODERN);
            assert_eq!((rejection.status, rejection.error.code), (400, -32602), "{method}");
            assert_eq!(
                rejection.error.message,
                "Invalid params: `io.modelcontextprotocol/protocolVersion` is missing in `_meta` (supported versions: 2026-07-28)"
            );
        }
    }
}

#[test]
fn notifications_need_no_envelope() {
    for (method, dual, modern, old) in [
        ("notifications/cancelled", true, true, true),
        ("notifications/initialized", true, false, true),
        ("notifications/roots/list_changed", true, false, true),
        ("notifications/progress", true, false, true),
        ("notifications/tasks/status", true, false, true),
        // These go to the client.
        ("notifications/message", false, false, false),
        ("notifications/tools/list_changed", false, false, false),
        // These are no notifications.
        ("tools/call", false, false, false),
        ("notifications/unheard/of", false, false, false),
    ] {
        let text = json!({ "jsonrpc": "2.0", "method": method });
        for (offer, is_known) in [(DUAL, dual), (MODERN, modern), (OLD, old)] {
            let expected = Outcome::Notification(is_known.then_some(method), None);
            assert_eq!(by_pipe(&text, &offer), expected, "{method}");
            assert_eq!(by_http(&text, &[], &offer), expected, "{method}");
        }
    }
}

#[test]
fn the_header_of_a_notification_names_a_revision_of_the_server() {
    let text = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
    let refused = |code| Outcome::Rejected(400, code, None);
    for (version, offer, expected) in [
        ("2025-11-25", DUAL, Outcome::Notification(Some("notifications/progress"), Some("2025-11-25"))),
        ("2026-07-28", DUAL, Outcome::Notification(None, Some("2026-07-28"))),
        ("v999", DUAL, refused(-32600)),
        ("2026-07-28", OLD, refused(-32600)),
        ("2025-11-25", MODERN, refused(-32022)),
        ("\u{1}", MODERN, refused(-32020)),
    ] {
        assert_eq!(by_http(&text, &[("mcp-protocol-version", version)], &offer), expected, "{version}");
    }
}

#[test]
fn responses_belong_to_the_legacy_era() {
    let text = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
    let refused = Outcome::Rejected(400, -32600, None);
    for offer in [DUAL, OLD] {
        assert_eq!(by_http(&text, &[], &offer), Outcome::Response);
        assert_eq!(by_http(&text, &[("mcp-protocol-version", "2025-11-25")], &offer), Outcome::Response);
        assert_eq!(by_http(&text, &[("mcp-protocol-version", "2026-07-28")], &offer), refused);
    }
    assert_eq!(by_http(&text, &[], &MODERN), refused);
    // On a pipe nobody may answer a response.
    for offer in [DUAL, OLD, MODERN] {
        assert_eq!(by_pipe(&text, &offer), Outcome::Response);
    }
}

#[test]
fn batches_exist_in_2025_03_26_alone() {
    let admitted = |headers: Option<Headers<'_>>, offer: &Offer<'_>| {
        admit_batch(headers.map(head).as_ref(), offer).map_err(|refused| (refused.status, refused.error.code))
    };
    let refused = Err((400, -32600));
    assert_eq!(admitted(None, &DUAL), Ok(()));
    assert_eq!(admitted(Some(&[]), &OLD), Ok(()));
    assert_eq!(admitted(Some(&[("mcp-protocol-version", "2025-03-26")]), &DUAL), Ok(()));
    for version in ["2025-06-18", "2024-11-05", "2026-07-28", "v999", "\u{1}"] {
        assert_eq!(admitted(Some(&[("mcp-protocol-version", version)]), &DUAL), refused, "{version}");
    }
    for offer in [MODERN, Offer::new(true, &[Revision::V2025_11_25])] {
        assert_eq!(admitted(None, &offer), refused);
    }
}

#[test]
fn a_batch_carries_neither_modern_requests_nor_initialize() {
    for (text, expected) in [
        (bare("tools/list", json!({})), Outcome::Legacy(Some("tools/list"), None)),
        (initialize(), rejected(400, -32600)),
        (modern("tools/list", json!({})), rejected(400, -32600)),
        (json!({ "jsonrpc": "2.0", "id": 7, "result": {} }), Outcome::Response),
    ] {
        assert_eq!(outcome(classify_in_batch(&message(&text.to_string()), None, &DUAL)), expected);
    }
}

#[test]
fn only_the_legacy_era_has_verbs_besides_post() {
    for (name, dual, modern) in [
        ("POST", Verb::Message, Verb::Message),
        ("GET", Verb::Stream, Verb::NotAllowed { allow: "POST" }),
        ("DELETE", Verb::EndSession, Verb::NotAllowed { allow: "POST" }),
        ("PUT", Verb::NotAllowed { allow: "POST, GET, DELETE" }, Verb::NotAllowed { allow: "POST" }),
        ("post", Verb::NotAllowed { allow: "POST, GET, DELETE" }, Verb::NotAllowed { allow: "POST" }),
    ] {
        assert_eq!((verb(name, true), verb(name, false)), (dual, modern), "{name}");
    }
}

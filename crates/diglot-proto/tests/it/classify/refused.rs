//! Refusals as they are sent, and what no message may do.

use diglot_proto::http::mirror::MAX_QUOTED;
use diglot_proto::lifecycle::classify::Refused;
use proptest::prelude::*;
use serde_json::value::to_raw_value;

use super::*;

#[test]
fn what_cannot_be_read_is_refused_by_what_is_wrong_with_it() {
    for (text, code, id) in [
        ("", -32700, None),
        ("{", -32700, None),
        (r#"{"jsonrpc":"2.0","id":"a","method":"#, -32700, Some(r#""a""#)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"} x"#, -32700, Some("1")),
        ("7", -32600, None),
        ("[]", -32600, None),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, -32600, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, Some("1")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, None),
        (r#"{"jsonrpc":"2.0","id":1,"error":[]}"#, -32600, None),
    ] {
        let unreadable = parse(text.as_bytes()).expect_err(text);
        let rejection = Rejection::from(&unreadable);
        assert_eq!((rejection.status, rejection.error.code), (400, code), "{text}");
        assert_eq!(rejection.id.map(|id| id.to_string()).as_deref(), id, "{text}");
    }
}

#[test]
fn a_request_must_say_which_json_rpc_it_speaks() {
    for version in [json!(null), json!("1.0"), json!(2.0)] {
        let mut text = modern("tools/list", json!({}));
        text["jsonrpc"] = version;
        assert_eq!(by_pipe(&text, &DUAL), rejected(400, -32600));
        text.as_object_mut().expect("an object").remove("jsonrpc");
        assert_eq!(by_pipe(&text, &DUAL), rejected(400, -32600));
    }
}

#[test]
fn a_missing_capability_is_named_as_an_object() {
    let required = to_raw_value(&json!({ "elicitation": {} })).expect("JSON");
    let body = Refused::missing_capability(&required).of("a".into()).body();
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((&body["id"], &body["error"]["code"]), (&json!("a"), &json!(-32021)));
    assert_eq!(body["error"]["data"], json!({ "requiredCapabilities": { "elicitation": {} } }));
}

#[test]
fn a_rejection_becomes_a_body() {
    let rejection = rejection(&modern("ping", json!({})), None, &DUAL);
    assert_eq!(
        String::from_utf8(rejection.body()).expect("text"),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: ping"}}"#
    );
}

fn a_value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("2026-07-28".to_owned()),
        Just("2025-11-25".to_owned()),
        Just("tools/call".to_owned()),
        any::<String>(),
    ];
    prop_oneof![
        word.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!({})),
        Just(json!([])),
    ]
}

fn a_method() -> impl Strategy<Value = String> {
    let known =
        prop::sample::select(diglot_proto::method::Method::ALL).prop_map(|method| method.as_str().to_owned());
    prop_oneof![4 => known, 1 => "\\PC{1,80}"]
}

fn a_header() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let value = prop_oneof![
        prop::sample::select(vec![
            "2026-07-28",
            "2025-11-25",
            "tools/call",
            "=?base64?YQ==?=",
            "=?base64?Y?="
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..80),
    ];
    prop::collection::vec(value, 0..3)
}

proptest! {
    #[test]
    fn no_message_and_no_head_panics_and_every_refusal_is_short_and_sound(
        method in a_method(),
        params in prop::collection::btree_map("name|uri|taskId|protocolVersion", a_value(), 0..3),
        meta in prop::collection::btree_map(
            "progressToken|io\\.modelcontextprotocol/(protocolVersion|clientInfo|clientCapabilities|logLevel)",
            a_value(),
            0..5,
        ),
        headers in prop::option::of([a_header(), a_header(), a_header()]),
        offers in 0_usize..3,
        has_id: bool,
    ) {
        let mut text = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        text["params"]["_meta"] = json!(meta);
        if has_id {
            text["id"] = json!(1);
        }
        let text = text.to_string();
        let head = headers.as_ref().map(|[version, method, name]| Head::read(|header| {
            let values = match header {
                "mcp-protocol-version" => version,
                "mcp-method" => method,
                _ => name,
            };
            values.iter().map(Vec::as_slice)
        }));
        let offer = [DUAL, MODERN, OLD][offers];
        let message = message(&text);
        let inbound = classify(&message, head.as_ref(), &offer);
        prop_assert_eq!(matches!(inbound, Inbound::Notification(_)) && has_id, false);
        if let Inbound::Rejected(rejection) = inbound {
            prop_assert_eq!(rejection.id.is_some(), has_id);
            prop_assert!(rejection.status == 400 || rejection.status == 404);
            prop_assert!(has_id || head.is_some(), "on a pipe only requests are refused");
            let message = &rejection.error.message;
            prop_assert!(message.len() <= 2 * MAX_QUOTED * 10 + 200, "{message}");
            prop_assert!(!message.contains(char::is_control), "{message:?}");
            let body: Value = serde_json::from_slice(&rejection.body()).expect("JSON");
            let data = &body["error"]["data"];
            match rejection.error.code {
                -32022 => prop_assert!(data["supported"].is_array() && data["requested"].is_string()),
                -32020 => prop_assert!(head.is_some()),
                _ => {}
            }
        }
    }
}

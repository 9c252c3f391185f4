//! The headers of the HTTP binding, by value.

use diglot_proto::http::headers::{
    BadHeaderKind, BadHeaderValue, Challenge, MAX_CHALLENGE_BYTES, MAX_CHALLENGES, check, decode_value,
    encode_value, essence, is_event_stream, is_html, is_json, is_reserved, mirrored_name, parse_challenges,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

// Mirrored values

#[test]
fn the_examples_of_the_specification_encode_as_printed() {
    for (text, encoded) in [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ] {
        assert_eq!(encode_value(text), encoded);
        assert_eq!(decode_value(encoded).expect("decodes"), text);
    }
}

#[test]
fn a_value_is_encoded_only_where_it_must_be() {
    for plain in ["", "a b", "a\tb", "~!\"", "=?base64?", "?=", "=?BASE64?x?=", "file:///a%20b"] {
        assert_eq!(encode_value(plain), plain);
    }
    for text in ["\ta", "a ", "a\u{7f}", "a\0", "é", "=?base64?=", "=?base64??="] {
        assert!(encode_value(text).starts_with("=?base64?"), "{text:?}");
        assert_eq!(decode_value(&encode_value(text)).expect("decodes"), text);
    }
}

#[test]
fn only_canonical_base64_is_decoded() {
    for body in
        ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm 9v", "Zm-_", "=Zg=", "Zg==Zg==", "Z===", "====", "Zm9v\n"]
    {
        assert_eq!(decode_value(&format!("=?base64?{body}?=")), Err(BadHeaderValue::Base64), "{body}");
    }
    for (body, text) in [
        ("", ""),
        ("Zg==", "f"),
        ("Zm8=", "fo"),
        ("Zm9v", "foo"),
        ("Zm9vYg==", "foob"),
        ("fn5+", "~~~"),
        ("Pz8/", "???"),
    ] {
        assert_eq!(decode_value(&format!("=?base64?{body}?=")).expect("decodes"), text);
    }
}

#[test]
fn base64_of_other_than_utf8_and_raw_characters_are_refused() {
    assert_eq!(decode_value("=?base64?/w==?="), Err(BadHeaderValue::Utf8));
    assert_eq!(decode_value("a\nb"), Err(BadHeaderValue::Character));
    assert_eq!(decode_value("é"), Err(BadHeaderValue::Character));
}

#[test]
fn the_name_of_a_request_is_what_it_is_about() {
    let params = RawValue::from_string(
        r#"{"arguments":{"name":"inner"},"name":"add\u0021","uri":"file:///a","taskId":"t1"}"#.to_owned(),
    )
    .expect("JSON");
    for (method, name) in [
        ("tools/call", Some("add!")),
        ("prompts/get", Some("add!")),
        ("resources/read", Some("file:///a")),
        ("tasks/get", Some("t1")),
        ("tasks/update", Some("t1")),
        ("tasks/cancel", Some("t1")),
        ("tasks/list", None),
        ("resources/subscribe", None),
        ("tools/list", None),
    ] {
        assert_eq!(mirrored_name(method, Some(&params)).as_deref(), name, "{method}");
    }
    assert_eq!(mirrored_name("tools/call", None), None);
    for odd in [r#"{"name":7}"#, "{}", "[]", r#""name""#] {
        let params = RawValue::from_string(odd.to_owned()).expect("JSON");
        assert_eq!(mirrored_name("tools/call", Some(&params)), None, "{odd}");
    }
}

// Headers of the user

#[test]
fn the_headers_of_the_protocol_cannot_be_set_by_hand() {
    for name in [
        "Accept",
        "content-type",
        "Content-Length",
        "HOST",
        "Last-Event-ID",
        "transfer-encoding",
        "Connection",
        "MCP-Protocol-Version",
        "mcp-session-id",
        "Mcp-Param-Region",
        "mcp-",
    ] {
        assert!(is_reserved(name), "{name}");
        assert_eq!(check(name, "x").expect_err("refused").kind, BadHeaderKind::Reserved);
    }
    for name in ["Authorization", "X-Api-Key", "User-Agent", "mcp", "x-mcp-thing", "accept-language"] {
        assert!(!is_reserved(name), "{name}");
        check(name, "x").expect("allowed");
    }
}

#[test]
fn a_refused_header_is_named_and_its_value_is_not_shown() {
    let bad_value = check("Authorization", "Bearer s3cret\n").expect_err("refused");
    assert_eq!((&*bad_value.name, bad_value.kind), ("Authorization", BadHeaderKind::Value));
    let bad_name = check("Authorization: Bearer s3cret", "").expect_err("refused");
    assert_eq!((&*bad_name.name, bad_name.kind), ("Authorization", BadHeaderKind::Name));
    for error in [bad_value, bad_name] {
        assert!(!format!("{error} {error:?}").contains("s3cret"));
        assert!(error.to_string().contains("Authorization"));
    }
    assert_eq!(check("", "x").expect_err("refused").kind, BadHeaderKind::Name);
    assert_eq!(check("a", "é").expect_err("refused").kind, BadHeaderKind::Value);
    check("a", "one\ttwo three").expect("allowed");
}

// Media types

#[test]
fn a_media_type_is_read_without_case_and_parameters() {
    assert_eq!(essence(" Application/JSON ; charset=utf-8"), "Application/JSON");
    assert!(
        is_json("Application/JSON; charset=utf-8")
            && is_json("application/problem+json")
            && is_json("a/b+JSON;x")
    );
    assert!(
        !is_json("application/jsonl")
            && !is_json("text/plain")
            && !is_json("+jso")
            && !is_json("")
            && !is_json("é")
    );
    assert!(is_event_stream("text/Event-Stream;charset=utf-8") && !is_event_stream("text/event-stream2"));
    assert!(
        is_html("text/html; charset=utf-8") && is_html("application/xhtml+xml") && !is_html("text/plain")
    );
}

// Challenges

fn challenges(value: &str) -> Vec<Challenge> {
    parse_challenges([value])
}

fn shape(challenges: &[Challenge]) -> Vec<String> {
    let show = |challenge: &Challenge| {
        let token = challenge.token68.iter().map(|token| format!(" {token}"));
        let params = challenge.params.iter().map(|(name, value)| format!(" {name}={value}"));
        format!("{}{}", challenge.scheme, token.chain(params).collect::<String>())
    };
    challenges.iter().map(show).collect()
}

#[test]
fn a_bearer_challenge_gives_what_authorization_needs() {
    let found = challenges(
        r#"bearer error="invalid_token", error_description="it \"expired\", sorry", Resource_Metadata="https://a.example/.well-known/x", scope="files:read files:write""#,
    );
    let [bearer] = found.as_slice() else { panic!("{found:?}") };
    assert!(bearer.is("Bearer"));
    assert_eq!(bearer.error(), Some("invalid_token"));
    assert_eq!(bearer.error_description(), Some(r#"it "expired", sorry"#));
    assert_eq!(bearer.resource_metadata(), Some("https://a.example/.well-known/x"));
    assert_eq!(bearer.scope(), Some("files:read files:write"));
    assert_eq!(bearer.param("realm"), None);
}

#[test]
fn several_challenges_in_one_value_are_told_apart() {
    for (value, expected) in [
        (r#"Basic realm="a, b", Bearer"#, vec!["Basic realm=a, b", "Bearer"]),
        (
            r#"Newauth realm="apps", type=1, title="x", Basic realm="simple""#,
            vec!["Newauth realm=apps type=1 title=x", "Basic realm=simple"],
        ),
        ("Negotiate YII=, Bearer realm=x", vec!["Negotiate YII=", "Bearer realm=x"]),
        ("Bearer, DPoP algs=\"ES256\"", vec!["Bearer", "DPoP algs=ES256"]),
        ("Bearer", vec!["Bearer"]),
        (" , Bearer ,, ", vec!["Bearer"]),
        ("", vec![]),
    ] {
        assert_eq!(shape(&challenges(value)), expected, "{value}");
    }
}

#[test]
fn sloppy_challenges_are_still_read() {
    for (value, expected) in [
        (r#"Bearer realm="a" error="b""#, vec!["Bearer realm=a error=b"]),
        (
            "Bearer resource_metadata=https://a.example/x?y=z, scope=a",
            vec!["Bearer resource_metadata=https://a.example/x?y=z scope=a"],
        ),
        (r#"Bearer realm = "a" , scope ="b""#, vec!["Bearer realm=a scope=b"]),
        (r#"Bearer realm="never closed"#, vec!["Bearer realm=never closed"]),
        (r#"realm="orphan", Bearer scope=a"#, vec!["Bearer scope=a"]),
        (r#""noise" é, Bearer scope=a"#, vec!["Bearer scope=a"]),
        (r#"Bearer realm="""#, vec!["Bearer realm="]),
    ] {
        assert_eq!(shape(&challenges(value)), expected, "{value}");
    }
}

#[test]
fn challenges_of_several_headers_are_joined_and_not_mixed() {
    let found = parse_challenges(["Basic realm=a", "scope=orphan, Bearer scope=b"]);
    assert_eq!(shape(&found), ["Basic realm=a", "Bearer scope=b"]);
}

#[test]
fn challenges_are_bounded() {
    assert_eq!(parse_challenges(["a, b, c, d"; 100]).len(), MAX_CHALLENGES);
    let long = format!("Bearer realm=\"{}\"", "é".repeat(MAX_CHALLENGE_BYTES));
    let found = parse_challenges([long.as_str(), "Basic"]);
    let [bearer] = found.as_slice() else { panic!("{}", found.len()) };
    assert!(bearer.param("realm").is_some_and(|realm| realm.len() < MAX_CHALLENGE_BYTES));
}

proptest! {
    #[test]
    fn every_text_survives_its_encoding(text: String) {
        let encoded = encode_value(&text);
        prop_assert!(encoded.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')));
        prop_assert_eq!(decode_value(&encoded).expect("decodes"), text.as_str());
    }

    #[test]
    fn no_header_value_panics(value in "\\PC{0,64}|[A-Za-z=,\" \\\\]{0,64}") {
        let _ = decode_value(&value);
        prop_assert!(parse_challenges([value.as_str()]).len() <= MAX_CHALLENGES);
        is_json(&value);
    }
}

//! Parameters that are mirrored into headers, by value.

use std::collections::BTreeMap;

use diglot_proto::http::headers::{BadHeaderValue, decode_value};
use diglot_proto::http::mirror::{Field, HeaderMismatchKind};
use diglot_proto::http::param::{BadAnnotationKind, MAX_PARAM_HEADERS, ParamHeaders};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn raw(value: &Value) -> Box<RawValue> {
    text(&value.to_string())
}

fn text(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("JSON")
}

fn compile(properties: Value) -> ParamHeaders {
    let schema = json!({ "type": "object", "properties": properties });
    ParamHeaders::compile(&raw(&schema)).expect("a good schema")
}

fn bad(schema: Value) -> (BadAnnotationKind, String) {
    let bad = ParamHeaders::compile(&raw(&schema)).expect_err("a bad schema");
    (bad.kind, bad.place.into_string())
}

/// A tool with a parameter of each type, two of them within an object.
fn tool() -> ParamHeaders {
    compile(json!({
        "region": { "type": "string", "x-mcp-header": "Region" },
        "plain": { "type": "string" },
        "limits": { "type": "object", "properties": {
            "rows": { "type": "integer", "x-mcp-header": "Rows" },
            "deep": { "properties": { "dry": { "type": ["boolean", "null"], "x-mcp-header": "Dry-Run" } } },
        } },
    }))
}

fn extract(params: &ParamHeaders, arguments: &str) -> BTreeMap<String, String> {
    let headers = params.extract(Some(&text(arguments))).expect("headers");
    headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn verify(arguments: &str, headers: &[(&str, &str)]) -> Result<(), HeaderMismatchKind> {
    let field = |name: &str| {
        Field::read(headers.iter().filter(|(own, _)| *own == name).map(|(_, value)| value.as_bytes()))
    };
    tool().verify(Some(&text(arguments)), field).map_err(|mismatch| mismatch.kind)
}

fn differs(header: &str, body: &str) -> Result<(), HeaderMismatchKind> {
    Err(HeaderMismatchKind::Differs { header: header.into(), body: body.into() })
}

// Schemas

#[test]
fn a_schema_without_annotations_has_no_headers() {
    for schema in [
        json!({}),
        json!({ "type": "object", "properties": { "a": { "type": "number" } } }),
        json!({ "properties": { "x-mcp-header": { "type": "string" } } }),
        json!({ "properties": { "a": { "default": { "x-mcp-header": "A" }, "enum": [{ "x-mcp-header": 1 }] } } }),
        json!({ "dependentRequired": { "x-mcp-header": ["a"] }, "pattern": "\u{1}" }),
        json!(true),
    ] {
        let params = ParamHeaders::compile(&raw(&schema)).expect("a good schema");
        assert!(params.is_empty(), "{schema}");
    }
}

#[test]
fn a_property_named_like_a_keyword_is_a_property() {
    let params = compile(json!({
        "properties": { "properties": { "items": { "type": "string", "x-mcp-header": "A" } } },
        "x-mcp-header": { "type": "boolean", "x-mcp-header": "B" },
    }));
    let headers = extract(&params, r#"{"properties":{"items":"x"},"x-mcp-header":true}"#);
    assert_eq!(
        headers,
        BTreeMap::from([("mcp-param-a".into(), "x".into()), ("mcp-param-b".into(), "true".into())])
    );
}

#[test]
fn an_annotation_must_name_a_header() {
    use BadAnnotationKind::{Empty, NotText, NotToken};
    for (name, kind) in [
        (json!(""), Empty),
        (json!("a b"), NotToken),
        (json!("a:b"), NotToken),
        (json!("a\r\nb"), NotToken),
        (json!("a\tb"), NotToken),
        (json!("é"), NotToken),
        (json!(1), NotText),
        (json!(null), NotText),
        (json!({ "name": "A" }), NotText),
    ] {
        let schema = json!({ "properties": { "a": { "type": "string", "x-mcp-header": name } } });
        assert_eq!(bad(schema), (kind, "properties/a".into()), "{name}");
    }
}

#[test]
fn an_annotation_must_stand_on_a_primitive() {
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string", "integer"]),
        json!(["null"]),
        json!([]),
        json!(7),
    ] {
        let schema = json!({ "properties": { "a": { "type": kind, "x-mcp-header": "A" } } });
        assert_eq!(bad(schema).0, BadAnnotationKind::Type, "{kind}");
    }
    let untyped = json!({ "properties": { "a": { "enum": ["x"], "x-mcp-header": "A" } } });
    assert_eq!(bad(untyped).0, BadAnnotationKind::Type);
}

#[test]
fn two_annotations_cannot_name_one_header() {
    for other in ["Region", "REGION"] {
        let schema = json!({ "properties": {
            "a": { "type": "string", "x-mcp-header": "Region" },
            "b": { "properties": { "c": { "type": "string", "x-mcp-header": other } } },
        } });
        assert_eq!(bad(schema), (BadAnnotationKind::Repeated, "properties/b/properties/c".into()));
    }
}

#[test]
fn an_annotation_is_reached_through_properties_alone() {
    let marked = json!({ "type": "string", "x-mcp-header": "A" });
    let below = json!({ "properties": { "b": marked } });
    for (schema, place) in [
        (marked.clone(), ""),
        (json!({ "properties": { "a": { "items": marked } } }), "properties/a/items"),
        (json!({ "properties": { "a": { "prefixItems": [true, marked] } } }), "properties/a/prefixItems"),
        (json!({ "properties": { "a": { "items": below } } }), "properties/a/items/properties/b"),
        (json!({ "oneOf": [below] }), "oneOf/properties/b"),
        (json!({ "anyOf": [[below]] }), "anyOf/properties/b"),
        (json!({ "allOf": [{ "not": marked }] }), "allOf/not"),
        (json!({ "if": below }), "if/properties/b"),
        (json!({ "then": below, "else": {} }), "then/properties/b"),
        (json!({ "$defs": { "x": marked } }), "$defs/x"),
        (json!({ "definitions": { "x-mcp-header": marked } }), "definitions/x-mcp-header"),
        (json!({ "patternProperties": { "^a": marked } }), "patternProperties/^a"),
        (json!({ "additionalProperties": marked }), "additionalProperties"),
        (json!({ "dependentSchemas": { "a": below } }), "dependentSchemas/a/properties/b"),
        (json!({ "properties": [marked] }), "properties"),
        (json!({ "properties": { "a": [marked] } }), "properties/a"),
    ] {
        assert_eq!(bad(schema), (BadAnnotationKind::Misplaced, place.into()));
    }
}

#[test]
fn an_annotation_is_found_in_whatever_spelling() {
    let schema = text(r#"{"properties":{"a":{"x-mcp\u002dheader":"a b","type":"string"}}}"#);
    assert_eq!(ParamHeaders::compile(&schema).expect_err("bad").kind, BadAnnotationKind::NotToken);
}

#[test]
fn annotations_are_bounded_in_number_and_depth() {
    let marked =
        |at: usize| (format!("p{at}"), json!({ "type": "string", "x-mcp-header": format!("H{at}") }));
    let most: serde_json::Map<_, _> = (0..MAX_PARAM_HEADERS).map(marked).collect();
    assert_eq!(compile(most.clone().into()).names().count(), MAX_PARAM_HEADERS);
    let more: serde_json::Map<_, _> = most.into_iter().chain([marked(MAX_PARAM_HEADERS)]).collect();
    assert_eq!(bad(json!({ "properties": more })).0, BadAnnotationKind::TooMany);

    let deep = format!("{}{{\"x-mcp-header\":1}}{}", "{\"not\":".repeat(200), "}".repeat(200));
    let bad = ParamHeaders::compile(&text(&deep)).expect_err("bad");
    assert_eq!(bad.kind, BadAnnotationKind::Unreadable);
    assert!(bad.to_string().len() < 300);
}

// The client

#[test]
fn values_become_headers_at_their_exact_paths() {
    let headers = extract(
        &tool(),
        r#"{"plain":"p","rows":1,"limits":{"rows":42,"deep":{"dry":false}},"region":"us-west1"}"#,
    );
    let expected =
        [("mcp-param-dry-run", "false"), ("mcp-param-region", "us-west1"), ("mcp-param-rows", "42")];
    assert_eq!(headers, expected.map(|(name, value)| (name.into(), value.into())).into());
}

#[test]
fn what_is_absent_or_null_or_of_another_type_has_no_header() {
    for arguments in [
        "{}",
        "[]",
        "7",
        r#"{"region":null,"limits":null}"#,
        r#"{"region":5,"limits":{"rows":"5","deep":{"dry":"true"}}}"#,
        r#"{"region":["a"],"limits":[{"rows":5}]}"#,
        r#"{"limits":{"rows":1.5,"deep":{"dry":0}}}"#,
    ] {
        assert_eq!(extract(&tool(), arguments), BTreeMap::new(), "{arguments}");
    }
    assert_eq!(tool().extract(None).expect("none"), []);
}

#[test]
fn an_unsafe_value_is_encoded() {
    for (value, header) in [
        ("", ""),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ] {
        let headers = extract(&tool(), &json!({ "region": value }).to_string());
        assert_eq!(headers.get("mcp-param-region").map(String::as_str), Some(header));
    }
}

#[test]
fn an_integer_is_written_in_decimal_within_the_safe_range() {
    for (token, header) in
        [("-7", "-7"), ("1e3", "1000"), ("42.0", "42"), ("-0", "0"), ("9007199254740991", "9007199254740991")]
    {
        let headers = extract(&tool(), &format!(r#"{{"limits":{{"rows":{token}}}}}"#));
        assert_eq!(headers.get("mcp-param-rows").map(String::as_str), Some(header), "{token}");
    }
    for token in ["9007199254740992", "-9007199254740992", "18446744073709551615", "1e300", "1e999"] {
        let arguments = text(&format!(r#"{{"limits":{{"rows":{token}}}}}"#));
        let refused = tool().extract(Some(&arguments)).expect_err(token);
        assert_eq!(&*refused.parameter, "limits.rows");
    }
}

#[test]
fn the_last_of_repeated_members_counts() {
    let headers =
        extract(&tool(), r#"{"limits":{"rows":1},"region":"a","region":"b","limits":{"deep":{"dry":true}}}"#);
    let expected = [("mcp-param-dry-run", "true"), ("mcp-param-region", "b")];
    assert_eq!(headers, expected.map(|(name, value)| (name.into(), value.into())).into());
}

// The server

#[test]
fn headers_that_say_the_same_are_accepted() {
    for (arguments, headers) in [
        ("{}", &[][..]),
        (r#"{"region":null}"#, &[]),
        (r#"{"region":"Hello"}"#, &[("mcp-param-region", "Hello")]),
        (r#"{"region":"Hello"}"#, &[("mcp-param-region", "=?base64?SGVsbG8=?=")]),
        (r#"{"region":"SGVsbG8="}"#, &[("mcp-param-region", "SGVsbG8=")]),
        (r#"{"region":"=?base64?SGVsbG8="}"#, &[("mcp-param-region", "=?base64?SGVsbG8=")]),
        (r#"{"region":""}"#, &[("mcp-param-region", "")]),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "  a\t")]),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "a"), ("mcp-param-other", "\u{1}")]),
        (r#"{"limits":{"rows":42}}"#, &[("mcp-param-rows", "42.0")]),
        (r#"{"limits":{"rows":42.0}}"#, &[("mcp-param-rows", "42")]),
        (r#"{"limits":{"rows":18446744073709551615}}"#, &[("mcp-param-rows", "18446744073709551615")]),
        (r#"{"limits":{"deep":{"dry":true}}}"#, &[("mcp-param-dry-run", "true")]),
        // Of another type than the schema says, which is not for the headers to refuse.
        (r#"{"region":5}"#, &[("mcp-param-region", "5")]),
        (r#"{"region":5}"#, &[]),
        (r#"{"limits":{"rows":"42"}}"#, &[("mcp-param-rows", "42")]),
    ] {
        assert_eq!(verify(arguments, headers), Ok(()), "{arguments} {headers:?}");
    }
}

#[test]
fn headers_that_say_something_else_are_refused() {
    use HeaderMismatchKind::{Character, Missing, Repeated, Sentinel, Unfounded};
    for (arguments, headers, expected) in [
        (r#"{"region":"a"}"#, &[][..], Err(Missing)),
        (r#"{"limits":{"rows":42}}"#, &[], Err(Missing)),
        (r#"{"limits":{"rows":1e999}}"#, &[], Err(Missing)),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "b")], differs("b", "a")),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "A")], differs("A", "a")),
        (r#"{"limits":{"rows":42}}"#, &[("mcp-param-rows", "43")], differs("43", "42")),
        (r#"{"limits":{"rows":42}}"#, &[("mcp-param-rows", "+42")], differs("+42", "42")),
        (r#"{"limits":{"rows":42}}"#, &[("mcp-param-rows", "")], differs("", "42")),
        (r#"{"limits":{"deep":{"dry":true}}}"#, &[("mcp-param-dry-run", "True")], differs("True", "true")),
        (r#"{"region":5}"#, &[("mcp-param-region", "6")], differs("6", "5")),
        (r#"{"region":{}}"#, &[("mcp-param-region", "a")], differs("a", "{}")),
        ("{}", &[("mcp-param-region", "a")], Err(Unfounded { header: "a".into() })),
        (r#"{"region":null}"#, &[("mcp-param-region", "null")], Err(Unfounded { header: "null".into() })),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "a"), ("mcp-param-region", "a")], Err(Repeated)),
        (r#"{"region":"Hello"}"#, &[("mcp-param-region", "=?base64?SGVsbG8?=")], Err(Sentinel)),
        (r#"{"region":"Hello"}"#, &[("mcp-param-region", "=?base64?SGVs!!!bG8=?=")], Err(Sentinel)),
        (r#"{"region":"é"}"#, &[("mcp-param-region", "é")], Err(Character)),
        ("{}", &[("mcp-param-region", "a\u{1}b")], Err(Character)),
    ] {
        assert_eq!(verify(arguments, headers), expected, "{arguments} {headers:?}");
    }
}

#[test]
fn a_refusal_names_the_header_as_the_schema_spells_it() {
    let mismatch = tool().verify(Some(&text(r#"{"limits":{"deep":{"dry":true}}}"#)), |_| Field::Absent);
    let error = mismatch.expect_err("missing").error();
    assert_eq!(error.code, -32020);
    assert_eq!(error.message, "Header mismatch: the Mcp-Param-Dry-Run header is missing");
}

proptest! {
    #[test]
    fn what_the_client_sends_the_server_accepts(region in any::<Option<String>>(), rows: i64, dry: bool) {
        let rows = rows.clamp(-9_007_199_254_740_991, 9_007_199_254_740_991);
        let arguments = raw(&json!({ "region": region, "limits": { "rows": rows, "deep": { "dry": dry } } }));
        let params = tool();
        let headers: BTreeMap<_, _> = params.extract(Some(&arguments)).expect("headers").into_iter().collect();
        prop_assert_eq!(headers.contains_key("mcp-param-region"), region.is_some());
        let field = |name: &str| Field::read(headers.get(name).map(|value| value.as_bytes()));
        prop_assert_eq!(params.verify(Some(&arguments), field), Ok(()));
    }

    #[test]
    fn no_header_panics(value in prop::collection::vec(any::<u8>(), 0..64), region: String) {
        let arguments = raw(&json!({ "region": region }));
        let accepted = tool().verify(Some(&arguments), |name| match name {
            "mcp-param-region" => Field::read([value.as_slice()]),
            _ => Field::Absent,
        });
        let decoded = String::from_utf8(value).map_err(|_| BadHeaderValue::Character);
        let decoded = decoded.and_then(|value| decode_value(value.trim_ascii()).map(|text| text.into_owned()));
        prop_assert_eq!(accepted.is_ok(), decoded.is_ok_and(|text| text == region));
    }

    #[test]
    fn no_schema_panics(schema in "[{}\\[\\]:,\"a\\\\ ]{0,40}", marked: bool) {
        let schema = format!(r#"{{"properties":{{"a":{schema}}},"x":{{"x-mcp-header":{marked}}}}}"#);
        if let Ok(schema) = RawValue::from_string(schema) {
            prop_assert!(ParamHeaders::compile(&schema).is_err());
        }
    }
}

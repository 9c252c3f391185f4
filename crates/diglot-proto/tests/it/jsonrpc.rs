//! The envelope: what is read as which message, what is refused, and what is written.

mod refused;
mod written;

use std::borrow::Cow;

use diglot_proto::jsonrpc::{
    Id, Message, Notification, Parsed, ReplyId, Request, Response, RpcError, Unreadable, UnreadableKind,
    codes, parse,
};
use serde_json::value::RawValue;

fn one(text: &str) -> Message<'_> {
    match parse(text.as_bytes()) {
        Ok(Parsed::One(message)) => message,
        other => panic!("{text} reads as {other:?}"),
    }
}

fn request(text: &str) -> Request<'_> {
    match one(text) {
        Message::Request(request) => request,
        other => panic!("{text} reads as {other:?}"),
    }
}

fn notification(text: &str) -> Notification<'_> {
    match one(text) {
        Message::Notification(notification) => notification,
        other => panic!("{text} reads as {other:?}"),
    }
}

fn response(text: &str) -> Response<'_> {
    match one(text) {
        Message::Response(response) => response,
        other => panic!("{text} reads as {other:?}"),
    }
}

fn result(text: &str) -> String {
    response(text).outcome.expect("a result").get().to_owned()
}

fn error(text: &str) -> RpcError {
    response(text).outcome.expect_err("an error")
}

fn refused(text: &str) -> Unreadable {
    parse(text.as_bytes()).expect_err("not a message")
}

fn refused_as(text: &str) -> (UnreadableKind, Option<Id>, bool) {
    let Unreadable { kind, id, is_reply, .. } = refused(text);
    (kind, id, is_reply)
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("JSON")
}

fn reply_id(token: &str) -> ReplyId {
    ReplyId::read(Some(&raw(token)))
}

// Requests and notifications

#[test]
fn a_request_keeps_its_params_byte_for_byte() {
    let params = r#"{ "n": 9007199254740993, "f":1.0, "z":-0, "s":"\u00e9\/" }"#;
    let text = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
    let request = request(&text);
    assert_eq!(request.id, Id::Number(7));
    assert_eq!(request.method, "tools/call");
    assert_eq!(request.params.expect("params").get(), params);
    assert!(request.versioned);
}

#[test]
fn nothing_is_copied_from_a_clean_message() {
    let request = request(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#);
    assert!(matches!(request.method, Cow::Borrowed(_)));
    assert!(matches!(request.params, Some(Cow::Borrowed(_))));
}

#[test]
fn a_string_id_is_decoded() {
    assert_eq!(request(r#"{"jsonrpc":"2.0","id":"a\"\u00e9","method":"x"}"#).id, Id::from("a\"é"));
}

#[test]
fn a_request_without_the_version_is_read_and_says_so() {
    assert!(!request(r#"{"id":1,"method":"x"}"#).versioned);
    assert!(!request(r#"{"jsonrpc":2.0,"id":1,"method":"x"}"#).versioned);
    assert!(!request(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#).versioned);
}

#[test]
fn null_params_are_absent() {
    assert!(notification(r#"{"jsonrpc":"2.0","method":"x","params":null}"#).params.is_none());
}

#[test]
fn params_of_another_type_are_left_to_the_decoder() {
    assert_eq!(
        notification(r#"{"jsonrpc":"2.0","method":"x","params":[1]}"#).params.expect("params").get(),
        "[1]"
    );
}

#[test]
fn a_notification_needs_no_version() {
    assert_eq!(notification(r#"{"method":"notifications/progress"}"#).method, "notifications/progress");
}

#[test]
fn unknown_members_are_ignored() {
    assert_eq!(notification(r#"{"trace":{"a":[1,{"id":2}]},"method":"x","z":null}"#).method, "x");
}

#[test]
fn the_last_of_a_repeated_key_counts() {
    let request = request(r#"{"id":1,"method":"a","id":2,"method":"b"}"#);
    assert_eq!((request.id, &*request.method), (Id::Number(2), "b"));
}

#[test]
fn an_escaped_key_is_the_same_key() {
    assert_eq!(notification(r#"{"m\u0065thod":"x"}"#).method, "x");
}

#[test]
fn a_byte_order_mark_and_space_around_are_tolerated() {
    assert_eq!(notification("\u{feff} \r\n{\"method\":\"x\"} \n").method, "x");
}

#[test]
fn a_request_id_must_be_an_integer_or_a_string() {
    for id in ["null", "1.5", "1.0", "true", "{}", "[1]", "9223372036854775808"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
        assert_eq!(refused_as(&text), (UnreadableKind::Malformed, None, false), "{text}");
    }
}

#[test]
fn a_bad_method_fails_the_request_with_its_id() {
    for method in ["null", "7", r#""""#, "{}"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"method":{method}}}"#);
        assert_eq!(refused_as(&text), (UnreadableKind::Malformed, Some(Id::Number(7)), false), "{text}");
    }
}

#[test]
fn unused_members_written_as_null_do_not_hide_a_request() {
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null,"result":null,"error":null}"#;
    assert_eq!(request(text).method, "x");
}

// Responses

#[test]
fn a_result_stays_raw() {
    assert_eq!(result(r#"{"jsonrpc":"2.0","id":1,"result":{"a": [1.0,  2]}}"#), r#"{"a": [1.0,  2]}"#);
}

#[test]
fn a_null_result_is_a_result() {
    assert_eq!(result(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), "null");
    assert_eq!(result(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#), "null");
}

#[test]
fn a_null_error_beside_a_result_is_a_result() {
    assert_eq!(result(r#"{"id":1,"error":null,"result":{}}"#), "{}");
}

#[test]
fn an_error_wins_over_a_result() {
    let both = r#"{"jsonrpc":"2.0","id":1,"result":{"ok":true},"error":{"code":-32603,"message":"no"}}"#;
    assert_eq!(error(both).code, codes::INTERNAL_ERROR);
    assert_eq!(error(r#"{"id":1,"result":null,"error":{"code":1,"message":"no"}}"#).code, 1);
}

#[test]
fn an_error_that_says_nothing_is_never_taken_for_the_result_beside_it() {
    let text = r#"{"jsonrpc":"2.0","id":1,"result":{"ok":true},"error":false}"#;
    assert_eq!(refused_as(text), (UnreadableKind::Malformed, Some(Id::Number(1)), true));
}

#[test]
fn a_message_with_neither_outcome_fails_its_request() {
    assert_eq!(
        refused_as(r#"{"jsonrpc":"2.0","id":7}"#),
        (UnreadableKind::Malformed, Some(Id::Number(7)), false)
    );
    assert_eq!(
        refused_as(r#"{"jsonrpc":"2.0","id":7.0,"error":null}"#),
        (UnreadableKind::Malformed, Some(Id::Number(7)), true)
    );
}

#[test]
fn an_error_code_is_read_in_every_spelling() {
    for (code, expected) in [
        ("-32601", -32601),
        ("-32601.0", -32601),
        ("-3.2601e4", -32601),
        (r#""-32601""#, -32601),
        ("1e300", i64::MAX),
        ("-99999999999999999999", i64::MIN),
        ("1.5", codes::NOT_GIVEN),
        ("null", codes::NOT_GIVEN),
        (r#""inf""#, codes::NOT_GIVEN),
        (r#""E_FAIL""#, codes::NOT_GIVEN),
        ("{}", codes::NOT_GIVEN),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m"}}}}"#);
        assert_eq!(error(&text).code, expected, "{code}");
    }
}

#[test]
fn an_error_without_a_message_keeps_its_code() {
    let error = error(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}"#);
    assert_eq!((error.code, error.message.as_str()), (-32601, ""));
    assert_eq!(error.to_string(), "an error without a message (code -32601)");
}

#[test]
fn an_error_message_of_another_type_is_kept_as_json() {
    assert_eq!(error(r#"{"id":1,"error":{"code":1,"message":["a"]}}"#).message, r#"["a"]"#);
}

#[test]
fn an_error_that_is_a_string_is_its_message() {
    let error = error(r#"{"jsonrpc":"2.0","id":1,"error":"Method not found"}"#);
    assert_eq!((error.code, error.message.as_str()), (codes::NOT_GIVEN, "Method not found"));
}

#[test]
fn error_data_stays_raw_and_null_data_is_none() {
    let with = error(r#"{"id":1,"error":{"code":-32022,"message":"m","data":{"supported": ["a"]}}}"#);
    assert_eq!(with.data.expect("data").get(), r#"{"supported": ["a"]}"#);
    assert!(error(r#"{"id":1,"error":{"code":1,"message":"m","data":null}}"#).data.is_none());
}

#[test]
fn an_error_prints_its_message_and_code() {
    assert_eq!(
        RpcError::new(codes::METHOD_NOT_FOUND, "no such tool").to_string(),
        "no such tool (code -32601)"
    );
}

// Reply ids

#[test]
fn a_reply_id_keeps_what_came() {
    for (text, expected, kind) in [
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, ReplyId::Id(Id::Number(7)), "number"),
        (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, ReplyId::Id(Id::from("7")), "string"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, ReplyId::Null, "null"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, ReplyId::Absent, "absent"),
        (r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#, ReplyId::Odd("7.0".into()), "odd"),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"result":{}}"#, ReplyId::Odd(r#"{"a":1}"#.into()), "odd"),
    ] {
        let id = response(text).id;
        assert_eq!(id, expected, "{text}");
        assert_eq!(id.kind(), kind);
        assert_eq!(id.is_nullish(), matches!(kind, "null" | "absent"));
    }
}

#[test]
fn the_same_number_in_another_spelling_matches() {
    for token in ["7", "7.0", "7e0", "70e-1", "0.7e1", "0.07E+2", r#""7""#] {
        assert!(reply_id(token).matches(&Id::Number(7)), "{token}");
        assert_eq!(reply_id(token).as_number(), Some(7), "{token}");
    }
    assert!(reply_id("7").matches(&Id::from("7")));
}

#[test]
fn another_number_or_another_text_does_not_match() {
    for token in
        ["8", "7.5", "7e1", "-7", r#""07""#, r#""+7""#, r#""7.0""#, r#"" 7""#, "true", "[7]", "null", "1e400"]
    {
        assert!(!reply_id(token).matches(&Id::Number(7)), "{token}");
    }
    assert!(!reply_id(r#""a""#).matches(&Id::from("b")));
    assert!(!ReplyId::Absent.matches(&Id::Number(0)));
}

#[test]
fn an_integral_float_matches_exactly_beyond_the_precision_of_a_double() {
    assert_eq!(reply_id("9007199254740993.0").as_number(), Some(9_007_199_254_740_993));
    assert_eq!(reply_id("9.223372036854775807e18").as_number(), Some(i64::MAX));
    assert_eq!(reply_id("-9.223372036854775808e18").as_number(), Some(i64::MIN));
    assert_eq!(reply_id("9.223372036854775808e18").as_number(), None);
    assert_eq!(reply_id("0.000e999999").as_number(), Some(0));
    assert_eq!(reply_id("-0.0").as_number(), Some(0));
    assert_eq!(reply_id("1e2147483647").as_number(), None);
    assert_eq!(reply_id("1e99999999999999999999").as_number(), None);
}

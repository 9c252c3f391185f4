//! The envelope: what is read as which message, what is refused, and what is written.

use std::borrow::Cow;

use diglot_proto::jsonrpc::{
    Id, MAX_BATCH, MAX_DEPTH, Message, Notification, Parsed, ReplyId, Request, Response, RpcError,
    Unreadable, UnreadableKind, codes, parse, recover_id, write_error, write_notification, write_request,
    write_result,
};
use proptest::prelude::*;
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

// What is no message

#[test]
fn json_that_is_not_json_rpc_is_told_from_a_broken_message() {
    for text in [
        "42",
        "null",
        r#""ready""#,
        "[]",
        "{}",
        r#"{"level":"info","msg":"ready"}"#,
        r#"{"id":7,"msg":"ready"}"#,
        r#"{"result":"ok"}"#,
        r#"{"error":"unauthorized"}"#,
        r#"{"error":{"code":401,"message":"Unauthorized"}}"#,
        r#"{"error":{"status":"x"}}"#,
        r#"{"method":7}"#,
    ] {
        assert_eq!(refused(text).kind, UnreadableKind::NotAMessage, "{text}");
    }
}

#[test]
fn a_bare_error_with_a_reserved_code_is_a_response() {
    let response = response(r#"{"error":{"code":-32000,"message":"Bad Request"}}"#);
    assert_eq!(response.id, ReplyId::Absent);
    assert_eq!(response.outcome.expect_err("an error").code, -32000);
}

#[test]
fn what_is_not_json_gives_its_id_where_it_can() {
    let seven = Some(Id::Number(7));
    for (text, id, is_reply) in [
        ("", None, false),
        ("Server listening on stdio", None, false),
        (r#"{"jsonrpc":"2.0","id":7,"result":{"v":NaN}}"#, seven.clone(), true),
        (r#"{"jsonrpc":"2.0","id":7,"result":{"text":"abc"#, seven.clone(), true),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}} trailing"#, seven.clone(), true),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}{"jsonrpc":"2.0","id":8,"result":{}}"#, seven.clone(), true),
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\nb\"}", seven, false),
    ] {
        assert_eq!(refused_as(text), (UnreadableKind::NotJson, id, is_reply), "{text}");
    }
}

#[test]
fn a_refusal_is_one_line_that_names_what_was_seen() {
    for (text, said) in [
        ("Server\tready\u{1b}[0m", "not JSON at column 1: Server\\tready\\u{1b}[0m"),
        ("42", "a number instead of a JSON-RPC message: 42"),
        (
            r#"{"jsonrpc":"2.0","id":"a"}"#,
            r#"a JSON-RPC message without method, result or error (id "a"): {"jsonrpc":"2.0","id":"a"}"#,
        ),
        ("", "an empty text instead of a message"),
        (r#"{"id":1,"result"#, r#"JSON that ends too early (id 1): {"id":1,"result"#),
    ] {
        assert_eq!(refused(text).to_string(), said);
    }
    let long = refused(&"x".repeat(1000)).to_string();
    assert!(long.ends_with("xxx…") && long.len() < 120, "{long}");
}

#[test]
fn depth_is_limited_and_the_refusal_has_the_id() {
    let nested = |depth: usize| {
        let inner = depth - 1;
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{}{}}}"#, "[".repeat(inner), "]".repeat(inner))
    };
    let deepest = nested(MAX_DEPTH);
    serde_json::from_str::<serde_json::Value>(&result(&deepest)).expect("the deepest result decodes");
    assert_eq!(refused_as(&nested(MAX_DEPTH + 1)), (UnreadableKind::TooDeep, Some(Id::Number(7)), true));
    assert_eq!(refused(&nested(100_000)).kind, UnreadableKind::TooDeep);
}

#[test]
fn brackets_in_strings_are_not_depth() {
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":["\"{}","{}\\"]}}"#, "[".repeat(500), "{".repeat(500));
    assert_eq!(response(&text).id, ReplyId::Id(Id::Number(7)));
}

// Batches

#[test]
fn one_bad_element_does_not_lose_the_batch() {
    let text = r#"[{"jsonrpc":"2.0","id":1,"result":{}}, 7, {"jsonrpc":"2.0","id":2}, {"method":"x"}, []]"#;
    let Ok(Parsed::Batch(messages)) = parse(text.as_bytes()) else { panic!("no batch") };
    let kinds: Vec<_> =
        messages.iter().map(|message| message.as_ref().map(|_| ()).map_err(|no| no.kind)).collect();
    let not_a_message = Err(UnreadableKind::NotAMessage);
    assert_eq!(kinds, [Ok(()), not_a_message, Err(UnreadableKind::Malformed), Ok(()), not_a_message]);
}

#[test]
fn a_batch_has_a_limit() {
    let batch = |length: usize| format!("[{}]", vec!["1"; length].join(","));
    assert!(
        matches!(parse(batch(MAX_BATCH).as_bytes()), Ok(Parsed::Batch(messages)) if messages.len() == MAX_BATCH)
    );
    assert_eq!(refused(&batch(MAX_BATCH + 1)).kind, UnreadableKind::BatchTooLong);
}

// Repair

#[test]
fn invalid_utf8_becomes_the_replacement_character() {
    let parsed = parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\xff\xc3\"}");
    let Ok(Parsed::One(Message::Response(response))) = parsed else { panic!("{parsed:?}") };
    assert_eq!(response.outcome.expect("a result").get(), "\"a\u{fffd}\u{fffd}\"");
}

#[test]
fn lone_surrogates_are_mended_and_pairs_are_kept() {
    for (sent, read) in [
        (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
        (r#""\ud83d""#, r#""\ufffd""#),
        (r#""\uDE00x""#, r#""\ufffdx""#),
        (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
        (r#""\ud83dx\ude00""#, r#""\ufffdx\ufffd""#),
        (r#""\\ud83d""#, r#""\\ud83d""#),
        (r#""\\\ud83d""#, r#""\\\ufffd""#),
        (r#""\ud83d\\ude00""#, r#""\ufffd\\ude00""#),
        (r#""\u00e9\ud7ff\ue000""#, r#""\u00e9\ud7ff\ue000""#),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{sent}}}"#);
        let result = result(&text);
        assert_eq!(result, read, "{sent}");
        serde_json::from_str::<String>(&result).expect("decodes");
    }
}

// Recovery of ids

#[test]
fn the_id_of_a_cut_message_is_recovered() {
    for (prefix, id) in [
        (r#"{"jsonrpc":"2.0","id":12,"res"#, Some(Id::Number(12))),
        (r#"{"jsonrpc":"2.0","id":12"#, None),
        (r#"{"jsonrpc":"2.0","id":"a\"b""#, Some(Id::from("a\"b"))),
        (r#"{"jsonrpc":"2.0","id":"a"#, None),
        (r#"{"result":{"id":5,"x":"}"},"id": 6 }"#, Some(Id::Number(6))),
        (r#"{"result":{"id":5,"#, None),
        (r#"{"result":"\"id\":5","#, None),
        (r#"{"\u0069d":5,"#, Some(Id::Number(5))),
        (r#"{"id":1.5,"#, None),
        (r#"{"id":null,"#, None),
        (r#"[{"id":1}"#, None),
        ("\u{feff} {\"id\":1}", Some(Id::Number(1))),
        ("", None),
    ] {
        assert_eq!(recover_id(prefix.as_bytes()), id, "{prefix}");
    }
}

// Writing

fn written(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn messages_are_written_in_one_line() {
    let params = raw("{\n  \"a\": \"x\\n\",\r\n  \"b\": 1\n}");
    assert_eq!(
        written(write_request(&Id::Number(1), "tools/call", Some(&params))),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{   "a": "x\n",    "b": 1 }}"#
    );
    assert_eq!(
        written(write_notification("notifications/initialized", None)),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    );
    assert_eq!(written(write_notification("x", Some(&raw("null")))), r#"{"jsonrpc":"2.0","method":"x"}"#);
    assert_eq!(
        written(write_result(&Id::from("a\"\u{1}"), &raw("{}"))),
        r#"{"jsonrpc":"2.0","id":"a\"\u0001","result":{}}"#
    );
}

#[test]
fn an_error_is_written_with_its_data_and_without_an_absent_id() {
    let error = RpcError::new(codes::INVALID_PARAMS, "bad\nvalue").with_data(raw("[1,\n2]"));
    assert_eq!(
        written(write_error(Some(&Id::Number(-1)), &error)),
        r#"{"jsonrpc":"2.0","id":-1,"error":{"code":-32602,"message":"bad\nvalue","data":[1, 2]}}"#
    );
    assert_eq!(
        written(write_error(None, &RpcError::new(codes::PARSE_ERROR, "no"))),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#
    );
}

#[test]
fn an_id_prints_and_serializes_as_its_token() {
    for (id, token) in [(Id::Number(-7), "-7"), (Id::from("a\"b\n"), r#""a\"b\n""#)] {
        assert_eq!(id.to_string(), token);
        assert_eq!(serde_json::to_string(&id).expect("JSON"), token);
        assert_eq!(serde_json::from_str::<Id>(token).expect("an id"), id);
    }
    assert!(serde_json::from_str::<Id>("1.5").is_err());
}

// Properties

fn any_id() -> impl Strategy<Value = Id> {
    prop_oneof![any::<i64>().prop_map(Id::Number), any::<String>().prop_map(Id::from)]
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        Just("-0".to_owned()),
        Just("1.0".to_owned()),
        Just("\"\\ud800\\n\"".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).expect("JSON")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(",\n"))),
            proptest::collection::vec(("[a-c_]{0,3}", inner), 0..4).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Pieces that make interesting broken messages when they are strung together.
fn shards() -> impl Strategy<Value = Vec<u8>> {
    let shard = prop_oneof![
        proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "\\ud800",
            "\\udc00",
            "\"id\"",
            "\"id\":",
            "\"jsonrpc\":\"2.0\"",
            "\"method\":\"x\"",
            "\"result\":",
            "\"error\":",
            "\"code\":",
            "\"message\":",
            "\"params\":",
            "null",
            "1",
            "-0",
            "1.0",
            "1e9",
            "\n",
            " ",
            "\u{feff}",
        ])
        .prop_map(|shard| shard.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..3),
    ];
    proptest::collection::vec(shard, 0..24).prop_map(|shards| shards.concat())
}

proptest! {
    #[test]
    fn what_is_written_reads_back(id in any_id(), method in ".+", params in any_json()) {
        let params = raw(&params);
        let bytes = write_request(&id, &method, Some(&params));
        prop_assert!(!bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r')));
        let Ok(Parsed::One(Message::Request(request))) = parse(&bytes) else { panic!("no request") };
        prop_assert_eq!(request.id, id);
        prop_assert_eq!(&*request.method, method.as_str());
        let expected = params.get().replace('\n', " ").replace("\\ud800", "\\ufffd");
        prop_assert_eq!(request.params.map_or("null".to_owned(), |params| params.get().to_owned()), expected);
    }

    #[test]
    fn a_written_error_reads_back(id in any_id(), code: i64, message: String, data in any_json()) {
        let bytes = write_error(Some(&id), &RpcError::new(code, message.as_str()).with_data(raw(&data)));
        let Ok(Parsed::One(Message::Response(response))) = parse(&bytes) else { panic!("no response") };
        prop_assert!(response.id.matches(&id));
        let error = response.outcome.expect_err("an error");
        prop_assert_eq!((error.code, error.message), (code, message));
    }

    #[test]
    fn no_bytes_panic_and_every_result_decodes(bytes in shards()) {
        recover_id(&bytes);
        let results = match parse(&bytes) {
            Ok(Parsed::One(message)) => vec![Ok(message)],
            Ok(Parsed::Batch(messages)) => messages,
            Ok(_) => Vec::new(),
            Err(unreadable) => vec![Err(unreadable)],
        };
        for result in results {
            match result {
                Ok(Message::Response(Response { outcome: Ok(result), .. })) => {
                    serde_json::from_str::<serde_json::Value>(result.get()).expect("decodes");
                }
                Ok(_) => {}
                Err(unreadable) => prop_assert!(!unreadable.to_string().contains('\n')),
            }
        }
    }

    #[test]
    fn any_prefix_of_a_message_gives_its_id_or_none(id in any_id(), result in any_json(), cut: prop::sample::Index) {
        let bytes = write_result(&id, &raw(&result));
        let cut = cut.index(bytes.len() + 1);
        let found = recover_id(&bytes[..cut]);
        prop_assert!(found.is_none() || found == Some(id.clone()));
        let whole = recover_id(&bytes);
        prop_assert_eq!(whole, Some(id));
    }
}

//! What is no message, what is mended, and what can still be told about the rest.

use diglot_proto::jsonrpc::{
    Id, MAX_BATCH, MAX_DEPTH, Message, Parsed, ReplyId, UnreadableKind, parse, recover_id,
};

use super::{refused, refused_as, response, result};

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

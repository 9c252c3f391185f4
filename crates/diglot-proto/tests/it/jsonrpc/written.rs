//! What is written, and that it reads back.

use diglot_proto::jsonrpc::{
    Id, Message, Parsed, Response, RpcError, codes, parse, recover_id, write_error, write_notification,
    write_request, write_result,
};
use proptest::prelude::*;

use super::raw;

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

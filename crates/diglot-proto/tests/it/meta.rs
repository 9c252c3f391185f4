//! The reserved keys of `_meta`: written without touching what stands beside them, and read leniently.

use diglot_proto::jsonrpc::{Id, Message, Parsed, ReplyId, parse};
use diglot_proto::meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, Envelope, LOG_LEVEL, NoPlace, PROGRESS_TOKEN, PROTOCOL_VERSION,
    RequestMeta, progress_token, server_info, subscription_id, with_meta, with_progress_token,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("JSON")
}

fn spliced(params: &str, entries: &[(&str, &str)]) -> String {
    let values: Vec<_> = entries.iter().map(|(key, value)| (*key, raw(value))).collect();
    let entries: Vec<(&str, &RawValue)> = values.iter().map(|(key, value)| (*key, &**value)).collect();
    with_meta(Some(&raw(params)), &entries).expect("spliced").get().to_owned()
}

// Writing

#[test]
fn absent_and_null_params_become_an_object_with_meta() {
    let value = raw("1");
    assert_eq!(with_meta(None, &[("a", &value)]).expect("spliced").get(), r#"{"_meta":{"a":1}}"#);
    assert_eq!(spliced("null", &[("a", "1")]), r#"{"_meta":{"a":1}}"#);
}

#[test]
fn the_rest_of_the_params_passes_through_byte_for_byte() {
    let members =
        r#" "name":"x" , "arguments" : {"n":9007199254740993,"f":1.0,"z":-0,"s":"\u00e9\/","_meta":{}}"#;
    assert_eq!(
        spliced(&format!("{{{members} }}"), &[("a", "[1, 2]"), ("b", "\"x\"")]),
        format!(r#"{{"_meta":{{"a":[1, 2],"b":"x"}},{members} }}"#)
    );
}

#[test]
fn entries_of_the_user_survive_in_their_order() {
    for (params, expected) in [
        (r#"{"_meta":{"u":1.0},"x":2}"#, r#"{"_meta":{"u":1.0,"k":7},"x":2}"#),
        (r#"{"x":2,"_meta": { "u" : {"k":0} } }"#, r#"{"x":2,"_meta": { "u" : {"k":0} ,"k":7} }"#),
        (r#"{"_meta":{}}"#, r#"{"_meta":{"k":7}}"#),
        (r#"{"_meta":{ }}"#, r#"{"_meta":{ "k":7}}"#),
        (r#"{"_meta":null,"x":2}"#, r#"{"_meta":{"k":7},"x":2}"#),
        ("{}", r#"{"_meta":{"k":7}}"#),
        ("{ }", r#"{"_meta":{"k":7} }"#),
    ] {
        assert_eq!(spliced(params, &[("k", "7")]), expected, "{params}");
    }
}

#[test]
fn an_entry_takes_the_place_of_one_with_the_same_key() {
    for (params, expected) in [
        (r#"{"_meta":{"a":1,"k":{"old":[1]},"b":2}}"#, r#"{"_meta":{"a":1,"k":7,"b":2}}"#),
        (r#"{"_meta":{"\u006b":"old"}}"#, r#"{"_meta":{"\u006b":7}}"#),
        (r#"{"_meta":{"k":1,"k":2}}"#, r#"{"_meta":{"k":7,"k":7}}"#),
        (r#"{"\u005fmeta":{"k":1}}"#, r#"{"\u005fmeta":{"k":7}}"#),
        (r#"{"_meta":{"k":1},"_meta":{"k":2}}"#, r#"{"_meta":{"k":1},"_meta":{"k":7}}"#),
    ] {
        assert_eq!(spliced(params, &[("k", "7")]), expected, "{params}");
    }
}

#[test]
fn a_key_is_escaped_where_it_must_be() {
    assert_eq!(spliced("{}", &[("a\"b", "1")]), r#"{"_meta":{"a\"b":1}}"#);
}

#[test]
fn params_that_are_no_object_have_no_place_for_meta() {
    let value = raw("1");
    for params in ["[1]", "7", r#""{}""#, "true"] {
        assert_eq!(with_meta(Some(&raw(params)), &[("a", &value)]).unwrap_err(), NoPlace::Params, "{params}");
    }
    for params in [r#"{"_meta":7}"#, r#"{"_meta":[]}"#, r#"{"_meta":"{}"}"#] {
        assert_eq!(with_meta(Some(&raw(params)), &[("a", &value)]).unwrap_err(), NoPlace::Meta, "{params}");
    }
}

#[test]
fn a_progress_token_is_written_as_the_id_that_it_is() {
    let with = |token: Id| with_progress_token(Some(&raw("{}")), &token).expect("spliced").get().to_owned();
    assert_eq!(with(Id::Number(-3)), r#"{"_meta":{"progressToken":-3}}"#);
    assert_eq!(with(Id::from("a\"")), r#"{"_meta":{"progressToken":"a\""}}"#);
}

#[test]
fn an_envelope_writes_every_reserved_key_once() {
    let (info, capabilities, trace) =
        (raw(r#"{"name":"n","version":"1"}"#), raw("{}"), raw(r#""00-1-2-01""#));
    let token = Id::Number(4);
    let stale = raw(r#""stale""#);
    let entries: [(&str, &RawValue); 2] = [("traceparent", &trace), (PROTOCOL_VERSION, &stale)];
    let envelope = Envelope::new("2026-07-28", &capabilities)
        .client_info(Some(&info))
        .log_level(Some("warning"))
        .progress_token(Some(&token))
        .entries(&entries);
    let params = raw(r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"stale","u":1}}"#);
    assert_eq!(
        envelope.apply(Some(&params)).expect("applied").get(),
        concat!(
            r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","u":1,"#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"warning","#,
            r#""progressToken":4,"traceparent":"00-1-2-01"}}"#
        )
    );
}

#[test]
fn an_envelope_writes_a_request_in_one_line() {
    let capabilities = raw("{\n}");
    let envelope = Envelope::new("2026-07-28", &capabilities);
    let bytes = envelope
        .write_request(&Id::Number(1), "tools/list", Some(&raw("{\n\"cursor\":\"a\\n\"}")))
        .expect("written");
    assert_eq!(
        std::str::from_utf8(&bytes).expect("UTF-8"),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientCapabilities":{ }}, "cursor":"a\n"}}"#
        )
    );
    let capacity = bytes.capacity();
    assert!(capacity < bytes.len() + 80, "{capacity} bytes for {}", bytes.len());
}

// Reading

#[test]
fn the_envelope_of_a_request_is_read_back() {
    let (info, capabilities) = (raw(r#"{"name":"n"}"#), raw(r#"{"roots":{}}"#));
    let token = Id::from("t");
    let params = Envelope::new("2026-07-28", &capabilities)
        .client_info(Some(&info))
        .log_level(Some("info"))
        .progress_token(Some(&token))
        .apply(None)
        .expect("applied");
    let meta = RequestMeta::read(Some(&params));
    assert_eq!(meta.protocol_version.as_deref(), Some("2026-07-28"));
    assert_eq!(meta.client_info.map(RawValue::get), Some(info.get()));
    assert_eq!(meta.client_capabilities.map(RawValue::get), Some(capabilities.get()));
    assert_eq!(meta.log_level.as_deref(), Some("info"));
    assert_eq!(meta.progress_token.map(RawValue::get), Some(r#""t""#));
    assert_eq!(meta.odd, None);
}

#[test]
fn an_entry_of_the_wrong_type_is_absent_and_named() {
    for (key, value) in [
        (PROTOCOL_VERSION, "7"),
        (CLIENT_INFO, r#""n""#),
        (CLIENT_CAPABILITIES, "[]"),
        (LOG_LEVEL, "{}"),
        (PROGRESS_TOKEN, "true"),
    ] {
        let params = raw(&format!(r#"{{"_meta":{{"{key}":{value}}}}}"#));
        let meta = RequestMeta::read(Some(&params));
        assert_eq!(meta.odd, Some(key));
        assert!(
            meta.protocol_version.is_none() && meta.client_info.is_none() && meta.progress_token.is_none()
        );
    }
    let params = raw(r#"{"_meta":7}"#);
    assert_eq!(RequestMeta::read(Some(&params)).odd, Some("_meta"));
}

#[test]
fn what_is_absent_or_null_is_not_odd() {
    for params in ["{}", r#"{"_meta":null}"#, r#"{"_meta":{"progressToken":null}}"#, "[]", "7"] {
        let params = raw(params);
        let meta = RequestMeta::read(Some(&params));
        assert!(meta.odd.is_none() && meta.progress_token.is_none(), "{params}");
    }
    assert!(RequestMeta::read(None).protocol_version.is_none());
}

#[test]
fn a_progress_notification_names_its_token_in_any_spelling() {
    for (params, matches) in [
        (r#"{"progressToken":7}"#, true),
        (r#"{"progressToken":"7"}"#, true),
        (r#"{"progressToken":7.0}"#, true),
        (r#"{"progressToken":8}"#, false),
    ] {
        assert_eq!(
            progress_token(&raw(params)).expect("a token").matches(&Id::Number(7)),
            matches,
            "{params}"
        );
    }
    assert_eq!(progress_token(&raw("{}")), None);
    assert_eq!(progress_token(&raw(r#"{"progressToken":null}"#)), None);
}

#[test]
fn a_notification_names_its_subscription() {
    let params = raw(r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}"#);
    assert_eq!(subscription_id(&params), Some(ReplyId::Id(Id::from("s"))));
    assert_eq!(subscription_id(&raw(r#"{"_meta":{}}"#)), None);
    assert_eq!(subscription_id(&raw("{}")), None);
}

#[test]
fn the_identity_of_a_server_is_in_meta_or_on_top() {
    for (result, info) in [
        (
            r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m"}},"serverInfo":{"name":"t"}}"#,
            Some(r#"{"name":"m"}"#),
        ),
        (r#"{"serverInfo":{"name":"t"}}"#, Some(r#"{"name":"t"}"#)),
        (
            r#"{"_meta":{"io.modelcontextprotocol/serverInfo":null},"serverInfo":{"name":"t"}}"#,
            Some(r#"{"name":"t"}"#),
        ),
        (r#"{"_meta":7,"serverInfo":"t"}"#, None),
        ("[]", None),
    ] {
        assert_eq!(server_info(&raw(result)).as_deref().map(RawValue::get), info, "{result}");
    }
}

fn members() -> impl Strategy<Value = String> {
    let key =
        prop_oneof![Just("_meta".to_owned()), Just("k".to_owned()), "[a-c]{0,2}", Just("\\u006b".to_owned())];
    let leaf = prop_oneof![Just("1.0"), Just("\"}\\\"{\""), Just("null"), Just("[ {} ]"), Just("-0")]
        .prop_map(str::to_owned);
    let value = leaf.prop_recursive(2, 8, 3, move |inner| {
        proptest::collection::vec((key.clone(), inner), 0..3).prop_map(|members| {
            let members: Vec<_> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
            format!("{{{} }}", members.join(" ,"))
        })
    });
    value.prop_filter("an object", |text| text.starts_with('{'))
}

proptest! {
    #[test]
    fn spliced_params_are_valid_and_have_the_entry(params in members(), value in "[a-z]{0,4}") {
        let params = raw(&params);
        let capabilities = raw("{}");
        let entry = raw(&format!("\"{value}\""));
        match with_meta(Some(&params), &[("k", &entry)]) {
            Ok(spliced) => {
                let read: serde_json::Value = serde_json::from_str(spliced.get()).expect("JSON");
                prop_assert_eq!(&read["_meta"]["k"], &value);
                let before: serde_json::Value = serde_json::from_str(params.get()).expect("JSON");
                for (key, kept) in before.as_object().expect("an object") {
                    prop_assert!(key == "_meta" || &read[key] == kept);
                }
            }
            Err(error) => prop_assert_eq!(error, NoPlace::Meta),
        }
        let envelope = Envelope::new("2026-07-28", &capabilities);
        if let Ok(applied) = envelope.apply(Some(&params)) {
            let bytes = envelope.write_request(&Id::Number(1), "m", Some(&params)).expect("written");
            let Ok(Parsed::One(Message::Request(request))) = parse(&bytes) else { panic!("no request") };
            let params = request.params.expect("params");
            prop_assert_eq!(params.get(), applied.get());
        }
    }
}

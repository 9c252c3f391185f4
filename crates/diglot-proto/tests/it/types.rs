//! The types of the specification: what comes back as it went in, what is forgiven, and what is written.

mod lenient;
mod skills;
mod written;

use diglot_proto::types::registry::{ALL, Claim};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("the test gives JSON")
}

fn json(value: impl Serialize) -> String {
    to_raw_value(&value).expect("the test gives finite numbers").get().to_owned()
}

/// Reads a text as the definition of that name, and writes it again.
fn again(name: &str, text: &str) -> String {
    let definition = ALL.iter().rev().find(|definition| definition.name == name).expect("the test names one");
    match &definition.claim {
        Claim::Type(claimed) => (claimed.roundtrip)(&raw(text)).expect("the test gives what can be read"),
        other => panic!("{name} is no type: {other:?}"),
    }
}

#[test]
fn what_is_written_in_the_order_of_the_schema_comes_back_byte_for_byte() {
    #[rustfmt::skip]
    let examples = [
        ("TextContent", r#"{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.5},"_meta":{"k":1}}"#),
        ("AudioContent", r#"{"type":"audio","data":"YQ==","mimeType":"audio/wav"}"#),
        ("ResourceLink", r#"{"type":"resource_link","uri":"file:///a","name":"a","size":3,"icons":[{"src":"data:,"}]}"#),
        ("EmbeddedResource", r#"{"type":"resource","resource":{"uri":"file:///a","blob":"YQ=="}}"#),
        ("Tool", r#"{"name":"t","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false},"execution":{"taskSupport":"optional"}}"#),
        ("Prompt", r#"{"name":"p","arguments":[{"name":"a","required":true}]}"#),
        ("CreateMessageRequestParams", r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"t","input":{}}]}],"maxTokens":5}"#),
        ("InputRequests", r#"{"b":{"method":"roots/list"},"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"u"}}}"#),
        ("InputResponses", r#"{"b":{"action":"cancel"},"a":{"roots":[]}}"#),
        ("CompleteRequestParams", r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"context":{"arguments":{"k":"v"}}}"#),
        ("Task", r#"{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null,"pollInterval":5}"#),
        ("ProgressNotificationParams", r#"{"progressToken":"t","progress":1.5,"total":3}"#),
        ("LoggingMessageNotificationParams", r#"{"level":"info","data":[1.0,null]}"#),
        ("ElicitResult", r#"{"action":"accept","content":{"a":["b"]}}"#),
        ("NumberSchema", r#"{"type":"integer","minimum":-9007199254740993,"maximum":18446744073709551615}"#),
        ("InitializeRequestParams", r#"{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"c","version":"1"}}"#),
    ];
    for (name, text) in examples {
        assert_eq!(again(name, text), text, "{name}");
    }
}

#[test]
fn unknown_members_come_back_in_their_order_after_the_known() {
    let text = r#"{"z":{"n":9007199254740993},"text":"a","type":"text","y":1.0,"_meta":{"b":1,"a":2}}"#;
    let expected = r#"{"type":"text","text":"a","_meta":{"b":1,"a":2},"z":{"n":9007199254740993},"y":1.0}"#;
    assert_eq!(again("TextContent", text), expected);
}

#[test]
fn raw_parts_keep_their_bytes() {
    let schema =
        r#"{ "type":"object", "properties":{"b":{"minimum":1e2},"a":{"const":12345678901234567890123}} }"#;
    let tool = format!(r#"{{"name":"t","inputSchema":{schema},"outputSchema":{schema}}}"#);
    assert_eq!(again("Tool", &tool), tool);
    let call = format!(r#"{{"name":"t","arguments":{schema},"requestState":"s"}}"#);
    assert_eq!(again("CallToolRequestParams", &call), call);
    let result = format!(r#"{{"content":[],"structuredContent":{schema}}}"#);
    assert_eq!(again("CallToolResult", &result), result);
}

#[test]
fn each_spelling_of_a_choice_comes_back_as_itself() {
    for text in [
        r#"{"type":"string","enum":["a","b"]}"#,
        r#"{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"}"#,
        r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
        r#"{"type":"array","minItems":1,"items":{"type":"string","enum":["a"]}}"#,
        r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}"#,
        r#"{"type":"string","format":"email","default":"a@b"}"#,
        r#"{"type":"boolean","default":false}"#,
    ] {
        assert_eq!(again("PrimitiveSchemaDefinition", text), text);
    }
}

#[test]
fn a_name_that_occurs_twice_counts_once_with_its_last_value() {
    let text = r#"{"type":"text","text":"a","x":1,"text":"b","y":2,"x":3}"#;
    assert_eq!(again("TextContent", text), r#"{"type":"text","text":"b","y":2,"x":3}"#);
}

#[test]
fn a_definition_stands_once_for_each_revision() {
    for definition in ALL {
        let twins = ALL.iter().filter(|other| other.name == definition.name);
        let overlaps = twins.filter(|other| definition.revisions.contains(other.revisions.start()));
        assert_eq!(overlaps.count(), 1, "{}", definition.name);
    }
}

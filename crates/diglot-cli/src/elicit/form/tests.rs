//! Whole conversations, with a user whose keys are written down.

use serde_json::json;

use super::super::scripted::{Key, Scripted};
use super::*;
use crate::elicit::field;

fn talk(form: Value, keys: &[Key]) -> (Answer, Scripted) {
    let raw = serde_json::value::to_raw_value(&form).unwrap();
    let mut user = Scripted::new(keys);
    let answer = fill(&field::read(&raw).unwrap(), &mut user);
    assert!(user.is_done(), "not all keys were asked for: {user:?}");
    (answer, user)
}

fn accepted(content: Value) -> Answer {
    let Value::Object(content) = content else { panic!("{content}") };
    Answer::Accept(Some(content))
}

fn whole() -> Value {
    json!({ "type": "object", "required": ["name", "age", "sure", "color"], "properties": {
        "name": { "type": "string", "title": "Your name", "minLength": 2 },
        "mail": { "type": "string", "format": "email" },
        "age": { "type": "integer", "minimum": 0, "default": 30 },
        "sure": { "type": "boolean", "default": true },
        "color": { "type": "string", "oneOf": [{ "const": "#f00", "title": "Red" }, { "const": "#00f", "title": "Blue" }] },
        "size": { "type": "string", "enum": ["s", "m"] },
        "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "maxItems": 1, "default": ["b"] },
    } })
}

#[test]
fn every_kind_of_field_is_answered_and_sent_after_a_look_at_the_whole() {
    use Key::{Enter, Mark, Pick, Type};
    // The form of a raw map has its fields in the order of their names.
    let keys = [Type("41"), Pick(1), Type(""), Type("Ada"), Pick(2), Enter, Mark(&[0]), Pick(0)];
    let (answer, user) = talk(whole(), &keys);
    assert_eq!(
        answer,
        accepted(json!({ "age": 41, "color": "#00f", "name": "Ada", "sure": true, "tags": ["a"] }))
    );
    for line in ["  Your name: Ada", "  color: Blue", "  mail: left out", "  size: left out", "  tags: a"] {
        assert!(user.said(line), "{line}: {user:?}");
    }
}

#[test]
fn what_does_not_fit_is_said_and_asked_for_again_with_what_was_typed() {
    let form = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer", "maximum": 9 } } });
    let (answer, user) = talk(form, &[Key::Type("x"), Key::Type("10"), Key::Type(""), Key::Type("7")]);
    assert_eq!(answer, accepted(json!({ "n": 7 })));
    for line in ["it must be a whole number", "it must be at most 9", "an answer is needed"] {
        assert!(user.said(line), "{line}: {user:?}");
    }
    assert_eq!(user.initials, ["", "x", "10", ""]);
}

#[test]
fn a_default_is_taken_with_enter() {
    let form = json!({ "type": "object", "properties": {
        "a": { "type": "string", "default": "d\u{1b}" }, "b": { "type": "string", "enum": ["x", "y"], "default": "y" },
        "c": { "type": "array", "items": { "type": "string", "enum": ["p", "q"] }, "default": ["q"] },
    } });
    let (answer, _) = talk(form, &[Key::Enter, Key::Enter, Key::Enter, Key::Enter]);
    assert_eq!(answer, accepted(json!({ "a": "d\u{1b}", "b": "y", "c": ["q"] })));
}

#[test]
fn too_many_marks_are_asked_for_again() {
    let form = json!({ "type": "object", "properties": {
        "t": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "maxItems": 1 } } });
    let (answer, user) = talk(form, &[Key::Mark(&[0, 1]), Key::Mark(&[1])]);
    assert_eq!(answer, accepted(json!({ "t": ["b"] })));
    assert!(user.said("at most 1 may be chosen"), "{user:?}");
}

#[test]
fn escape_offers_to_decline_and_to_go_on() {
    let form = || json!({ "type": "object", "properties": { "a": { "type": "boolean" } } });
    assert_eq!(talk(form(), &[Key::Escape, Key::Pick(2)]).0, Answer::Decline);
    assert_eq!(talk(form(), &[Key::Escape, Key::Pick(3)]).0, Answer::Cancel);
    assert_eq!(talk(form(), &[Key::Escape, Key::Escape, Key::Pick(1)]).0, accepted(json!({ "a": false })));
    assert_eq!(talk(form(), &[Key::Interrupt]).0, Answer::Cancel);
    assert_eq!(talk(form(), &[Key::Escape, Key::Interrupt]).0, Answer::Cancel);
}

#[test]
fn to_start_over_keeps_what_was_answered() {
    let form =
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "boolean" } } });
    let keys = [Key::Type("one"), Key::Pick(1), Key::Pick(3), Key::Type("two"), Key::Enter, Key::Pick(0)];
    let (answer, user) = talk(form, &keys);
    assert_eq!(answer, accepted(json!({ "a": "two", "b": false })));
    assert_eq!(user.initials, ["", "one"]);
}

#[test]
fn a_form_without_fields_is_agreed_to_or_not() {
    let form = || json!({ "type": "object", "properties": {} });
    assert_eq!(talk(form(), &[Key::Pick(0)]).0, accepted(json!({})));
    assert_eq!(talk(form(), &[Key::Pick(1)]).0, Answer::Decline);
    assert_eq!(talk(form(), &[Key::Escape]).0, Answer::Cancel);
}

//! Every kind of field of the specification, and what it takes.

use serde_json::json;

use super::*;

fn field(schema: &Value, is_required: bool) -> Field {
    let required = if is_required { json!(["f"]) } else { json!([]) };
    let form = json!({ "type": "object", "properties": { "f": schema }, "required": required });
    let raw = serde_json::value::to_raw_value(&form).unwrap();
    let mut fields = read(&raw).unwrap();
    assert_eq!(fields.len(), 1);
    fields.remove(0)
}

fn required(schema: Value) -> Field {
    field(&schema, true)
}

fn optional(schema: Value) -> Field {
    field(&schema, false)
}

#[test]
fn text_is_kept_as_it_is_typed_within_its_lengths() {
    let name = required(json!({ "type": "string", "title": "Name", "minLength": 2, "maxLength": 4 }));
    assert_eq!(name.label, "Name");
    assert_eq!(name.parse(" é "), Ok(Some(json!(" é "))));
    assert_eq!(name.parse("x").unwrap_err(), "it must have at least 2 characters, and has 1");
    assert_eq!(name.parse("ééééé").unwrap_err(), "it may have at most 4 characters, and has 5");
    assert_eq!(name.bounds().unwrap(), "2 to 4 characters");
}

#[test]
fn a_format_is_checked_and_named() {
    let mail = required(json!({ "type": "string", "format": "email" }));
    assert_eq!(mail.parse(" ada@example.com "), Ok(Some(json!("ada@example.com"))));
    assert!(mail.parse("ada").is_err());
    assert_eq!(mail.bounds().unwrap(), "an address for mail");
    let time = required(json!({ "type": "string", "format": "date-time" }));
    assert_eq!(time.parse("2026-07-28 09:30:00Z"), Ok(Some(json!("2026-07-28T09:30:00Z"))));
}

#[test]
fn what_is_optional_may_be_left_out_and_what_is_not_may_not() {
    for schema in [
        json!({ "type": "string" }),
        json!({ "type": "integer" }),
        json!({ "type": "string", "format": "uri" }),
    ] {
        assert_eq!(optional(schema.clone()).parse(" "), Ok(None), "{schema}");
        assert_eq!(required(schema.clone()).parse(" ").unwrap_err(), "an answer is needed", "{schema}");
    }
}

#[test]
fn two_quotes_are_an_empty_text_where_that_is_allowed() {
    assert_eq!(required(json!({ "type": "string" })).parse("\"\""), Ok(Some(json!(""))));
    assert!(required(json!({ "type": "string", "format": "date" })).parse("\"\"").is_err());
    let long = required(json!({ "type": "string", "minLength": 2 }));
    assert_eq!(long.parse("\"\""), Ok(Some(json!("\"\""))));
}

#[test]
fn numbers_are_within_their_bounds_and_keep_their_digits() {
    let number = required(json!({ "type": "number", "minimum": 0.5, "maximum": 10 }));
    assert_eq!(number.parse("1.50").unwrap().unwrap().to_string(), "1.5");
    assert_eq!(number.parse("+3"), Ok(Some(json!(3))));
    assert_eq!(number.parse("0.25").unwrap_err(), "it must be at least 0.5");
    assert_eq!(number.parse("11").unwrap_err(), "it must be at most 10");
    for text in ["ten", "1,5", "0x1", "NaN", "\"1\""] {
        assert_eq!(number.parse(text).unwrap_err(), "it must be a number", "{text}");
    }
    assert_eq!(number.bounds().unwrap(), "a number, 0.5 to 10");
}

#[test]
fn whole_numbers_have_no_fraction() {
    let whole = required(json!({ "type": "integer", "maximum": 18_446_744_073_709_551_614_u64 }));
    assert_eq!(whole.parse("1e3"), Ok(Some(json!(1000))));
    assert_eq!(whole.parse("-2.0"), Ok(Some(json!(-2))));
    assert_eq!(whole.parse("18446744073709551614"), Ok(Some(json!(18_446_744_073_709_551_614_u64))));
    assert_eq!(whole.parse("18446744073709551615").unwrap_err(), "it must be at most 18446744073709551614");
    for text in ["1.5", "1e300", "x"] {
        assert_eq!(whole.parse(text).unwrap_err(), "it must be a whole number", "{text}");
    }
}

#[test]
fn choices_have_their_names_in_every_spelling() {
    let named = [("a", "Apple"), ("b", "b")];
    let expected = Kind::One(
        named.map(|(value, label)| Choice { value: value.to_owned(), label: label.to_owned() }).to_vec(),
    );
    let titled = json!({ "type": "string", "oneOf": [{ "const": "a", "title": "Apple" }, { "const": "b" }] });
    let legacy = json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["Apple"] });
    assert_eq!(required(titled).kind, expected);
    assert_eq!(required(legacy.clone()).kind, expected);
    assert_eq!(required(legacy).told(&json!("a")), "Apple");
    let bare = required(json!({ "type": "string", "enum": ["a"], "default": "a" }));
    assert_eq!(bare.default, Some(json!("a")));
}

#[test]
fn some_choices_are_as_many_as_are_wanted() {
    let items = json!({ "anyOf": [{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }, { "const": "c", "title": "C" }] });
    let some = required(json!({ "type": "array", "items": items, "minItems": 1, "maxItems": 2 }));
    assert_eq!(some.take(&[0, 2]), Ok(Some(json!(["a", "c"]))));
    assert_eq!(some.take(&[]).unwrap_err(), "at least 1 must be chosen");
    assert_eq!(some.take(&[0, 1, 2]).unwrap_err(), "at most 2 may be chosen");
    assert_eq!(some.told(&json!(["a", "c"])), "A, C");
    let plain = json!({ "type": "array", "items": { "type": "string", "enum": ["x", "y"] }, "minItems": 1 });
    assert_eq!(optional(plain.clone()).take(&[]), Ok(None));
    let mut with_default = plain;
    with_default["default"] = json!(["x"]);
    assert!(optional(with_default).take(&[]).is_err(), "left out, the default would stand");
}

#[test]
fn a_field_of_an_unknown_kind_takes_json() {
    let unknown = required(json!({ "type": "geo", "title": "Place" }));
    assert_eq!(unknown.kind, Kind::Json);
    assert_eq!(unknown.parse("{\"a\": 1}"), Ok(Some(json!({ "a": 1 }))));
    assert!(unknown.parse("a").unwrap_err().starts_with("it must be JSON"));
}

#[test]
fn words_of_the_server_cannot_move_the_cursor() {
    let field = required(json!({
        "type": "string", "title": "a\u{1b}[A\nb", "description": "c\u{9b}d",
        "oneOf": [{ "const": "v\u{1b}", "title": "t\u{7}" }],
    }));
    assert_eq!((field.label.as_str(), field.about.as_str()), ("a\u{fffd}[A⏎b", "c\u{fffd}d"));
    let Kind::One(choices) = &field.kind else { panic!("{field:?}") };
    assert_eq!(choices, &[Choice { value: "v\u{1b}".into(), label: "t\u{fffd}".into() }]);
}

#[test]
fn a_form_of_too_many_fields_is_refused() {
    let properties: serde_json::Map<String, Value> =
        (0..=MOST_FIELDS).map(|at| (format!("f{at}"), json!({ "type": "boolean" }))).collect();
    let form = json!({ "type": "object", "properties": properties });
    let raw = serde_json::value::to_raw_value(&form).unwrap();
    assert_eq!(read(&raw).unwrap_err(), "it has more than 100 fields");
}

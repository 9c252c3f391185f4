//! The content of a form: completed by its defaults and checked field by field.

use std::fmt;

use diglot_proto::types::{NumberKind, NumberSchema, PrimitiveSchema, RequestedSchema};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

/// Why content does not fit its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormFault {
    /// The field, or nothing where the whole is no object.
    field: Option<String>,
    what: &'static str,
}

impl fmt::Display for FormFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "the field {field:?} {}", self.what),
            None => f.write_str(self.what),
        }
    }
}

/// Adds the defaults of fields that were left empty, and checks the whole.
pub(super) fn complete(schema: &RawValue, content: Option<&RawValue>) -> Result<Box<RawValue>, FormFault> {
    let whole = |what| FormFault { field: None, what };
    let schema = RequestedSchema::read(schema).map_err(|_| whole("the form cannot be read"))?;
    let mut fields: Map<String, Value> = match content {
        Some(content) => {
            serde_json::from_str(content.get()).map_err(|_| whole("the content is not an object"))?
        }
        None => Map::new(),
    };
    for (name, field) in schema.properties.iter() {
        let fault = |what| FormFault { field: Some(name.to_owned()), what };
        if fields.get(name).is_none_or(Value::is_null) {
            fields.remove(name);
            if let Some(default) = default(field) {
                fields.insert(name.to_owned(), default);
            }
        }
        match fields.get(name) {
            Some(value) => check(field, value).map_err(fault)?,
            None if schema.required.iter().any(|required| required == name) => {
                return Err(fault("is missing"));
            }
            None => {}
        }
    }
    to_raw_value(&fields).map_err(|_| whole("the content cannot be written"))
}

fn default(field: &PrimitiveSchema) -> Option<Value> {
    match field {
        PrimitiveSchema::String(field) => field.default.as_ref().map(json),
        PrimitiveSchema::Number(field) => field.default.as_ref().map(json),
        PrimitiveSchema::Boolean(field) => field.default.as_ref().map(json),
        PrimitiveSchema::Select(field) => field.default.as_ref().map(json),
        PrimitiveSchema::TitledSelect(field) => field.default.as_ref().map(json),
        PrimitiveSchema::LegacySelect(field) => field.default.as_ref().map(json),
        PrimitiveSchema::MultiSelect(field) => (!field.default.is_empty()).then(|| json(&field.default)),
        PrimitiveSchema::TitledMultiSelect(field) => {
            (!field.default.is_empty()).then(|| json(&field.default))
        }
        _ => None,
    }
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn check(field: &PrimitiveSchema, value: &Value) -> Result<(), &'static str> {
    let one_of = |words: Vec<&str>| match value.as_str() {
        Some(word) if words.contains(&word) => Ok(()),
        _ => Err("is none of its choices"),
    };
    match field {
        PrimitiveSchema::String(field) => {
            let text = value.as_str().ok_or("is not a text")?;
            let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            match () {
                () if field.min_length.is_some_and(|least| length < least) => Err("is too short"),
                () if field.max_length.is_some_and(|most| length > most) => Err("is too long"),
                () => Ok(()),
            }
        }
        PrimitiveSchema::Number(field) => number(field, value),
        PrimitiveSchema::Boolean(_) => value.as_bool().map(|_| ()).ok_or("is neither true nor false"),
        PrimitiveSchema::Select(field) => one_of(field.values.iter().map(String::as_str).collect()),
        PrimitiveSchema::LegacySelect(field) => one_of(field.values.iter().map(String::as_str).collect()),
        PrimitiveSchema::TitledSelect(field) => {
            one_of(field.options.iter().map(|option| option.value.as_str()).collect())
        }
        PrimitiveSchema::MultiSelect(field) => {
            some_of(value, &mut |word| field.items.values.iter().any(|known| known == word))
        }
        PrimitiveSchema::TitledMultiSelect(field) => {
            some_of(value, &mut |word| field.items.options.iter().any(|option| option.value == word))
        }
        _ => Ok(()),
    }
}

fn number(field: &NumberSchema, value: &Value) -> Result<(), &'static str> {
    let number = value.as_f64().ok_or("is not a number")?;
    let is_whole = value.is_i64() || value.is_u64() || number.fract() == 0.0;
    let bound = |bound: &Option<_>| bound.as_ref().and_then(|bound| json(bound).as_f64());
    match () {
        () if field.kind == NumberKind::Integer && !is_whole => Err("is not a whole number"),
        () if bound(&field.minimum).is_some_and(|least| number < least) => Err("is too small"),
        () if bound(&field.maximum).is_some_and(|most| number > most) => Err("is too large"),
        () => Ok(()),
    }
}

fn some_of(value: &Value, is_known: &mut dyn FnMut(&str) -> bool) -> Result<(), &'static str> {
    let words = value.as_array().ok_or("is not a list")?;
    match words.iter().all(|word| word.as_str().is_some_and(&mut *is_known)) {
        true => Ok(()),
        false => Err("has a choice that it does not offer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    const FORM: &str = r#"{"type":"object","properties":{
        "name":{"type":"string","minLength":2,"default":"John"},
        "age":{"type":"integer","minimum":0,"maximum":150,"default":30},
        "score":{"type":"number","default":95.5},
        "status":{"type":"string","enum":["active","inactive"],"default":"active"},
        "tags":{"type":"array","items":{"type":"string","enum":["a","b"]}},
        "sure":{"type":"boolean"}},"required":["name","sure"]}"#;

    fn completed(content: &str) -> Result<Value, String> {
        let content = complete(&raw(FORM), Some(&raw(content))).map_err(|fault| fault.to_string())?;
        Ok(serde_json::from_str(content.get()).unwrap())
    }

    #[test]
    fn fields_that_are_left_empty_take_their_defaults() {
        let content = completed(r#"{"sure":true,"age":null}"#).unwrap();
        let expected = r#"{"name":"John","age":30,"score":95.5,"status":"active","sure":true}"#;
        assert_eq!(content, serde_json::from_str::<Value>(expected).unwrap());
    }

    #[test]
    fn a_field_that_does_not_fit_is_named() {
        for (content, fault) in [
            ("{}", "the field \"sure\" is missing"),
            (r#"{"sure":1}"#, "the field \"sure\" is neither true nor false"),
            (r#"{"sure":true,"name":"x"}"#, "the field \"name\" is too short"),
            (r#"{"sure":true,"age":151}"#, "the field \"age\" is too large"),
            (r#"{"sure":true,"age":1.5}"#, "the field \"age\" is not a whole number"),
            (r#"{"sure":true,"status":"gone"}"#, "the field \"status\" is none of its choices"),
            (r#"{"sure":true,"tags":["a","c"]}"#, "the field \"tags\" has a choice that it does not offer"),
            ("[]", "the content is not an object"),
        ] {
            assert_eq!(completed(content).unwrap_err(), fault);
        }
    }
}

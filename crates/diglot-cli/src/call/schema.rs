//! Values of the command line as JSON, typed by the schema of the tool.
//!
//! A value becomes JSON text and nothing else, so that `1.0`, big integers and the order of keys stay as written.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::assignment::Assignment;

/// How many references and alternatives deep a schema is followed.
const DEEPEST: usize = 16;

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// Writes the arguments of a call.
pub(super) fn arguments(assignments: &[Assignment<'_>], schema: &RawValue) -> Result<Box<RawValue>, String> {
    let root: Value = serde_json::from_str(schema.get()).unwrap_or_default();
    let mut out = String::from("{");
    for (at, assignment) in assignments.iter().enumerate() {
        let Assignment { key, value, is_json } = assignment;
        let value = match is_json {
            true => {
                json(value).ok_or_else(|| format!("{key}:= takes JSON, and {value:?} is none"))?.to_owned()
            }
            false => typed(value, &allowed(property(&root, key), &root, DEEPEST))
                .map_err(|types| format!("{key} takes {}, and {value:?} is none", types.join(" or ")))?,
        };
        let comma = if at == 0 { "" } else { "," };
        out.push_str(&format!("{comma}{}:{value}", Value::from(*key)));
    }
    out.push('}');
    RawValue::from_string(out).map_err(|error| error.to_string())
}

/// Writes a value as one of the types that are allowed; without any, all are.
///
/// The error lists what is allowed.
fn typed(text: &str, allowed: &[&'static str]) -> Result<String, Vec<&'static str>> {
    let is_allowed = |name: &str| allowed.is_empty() || allowed.contains(&name);
    let found = json(text).filter(|json| match kind(json) {
        // A quoted text is the text with its quotes: nobody quotes twice by accident.
        "string" => allowed.is_empty(),
        "number" => is_allowed("number") || (is_allowed("integer") && is_integral(json)),
        kind => is_allowed(kind),
    });
    match found {
        Some(json) => Ok(json.to_owned()),
        None if is_allowed("string") => Ok(Value::from(text).to_string()),
        None => Err(allowed.to_vec()),
    }
}

/// Returns the text as JSON, without the space around it, if it is JSON.
fn json(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// Names the type of a value by its first character.
fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// Tells whether a number has no fraction, whatever way it is written; `1.0` and `1e3` have none.
fn is_integral(json: &str) -> bool {
    let is_plain = json.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_plain || json.parse().is_ok_and(|number: f64| number.fract() == 0.0)
}

/// Finds the schema of an argument.
fn property<'a>(root: &'a Value, key: &str) -> &'a Value {
    let mut schema = root;
    for _ in 0..DEEPEST {
        match schema.get("$ref").and_then(|target| referred(target, root)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    let declared = schema.get("properties").and_then(|properties| properties.get(key));
    declared.or_else(|| schema.get("additionalProperties")).unwrap_or(&Value::Null)
}

/// Lists the types that a schema allows; none if it does not say.
fn allowed(schema: &Value, root: &Value, deepest: usize) -> Vec<&'static str> {
    let (Some(schema), Some(deepest)) = (schema.as_object(), deepest.checked_sub(1)) else {
        return Vec::new();
    };
    let stated = stated(schema);
    if !stated.is_empty() {
        return stated;
    }
    if let Some(target) = schema.get("$ref").and_then(|target| referred(target, root)) {
        return allowed(target, root, deepest);
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let mut parts = parts.iter().map(|part| allowed(part, root, deepest));
        return parts.find(|types| !types.is_empty()).unwrap_or_default();
    }
    let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let alternatives = alternatives.into_iter().flatten();
    let types: Vec<_> = alternatives.map(|part| allowed(part, root, deepest)).collect();
    // An alternative that does not say allows everything.
    match types.iter().any(Vec::is_empty) {
        true => Vec::new(),
        false => types.concat(),
    }
}

/// Lists the types that a schema states itself, by name or by its values.
fn stated(schema: &Map<String, Value>) -> Vec<&'static str> {
    let named = |value: &Value| TYPES.into_iter().find(|name| value == name);
    match (schema.get("type"), schema.get("const"), schema.get("enum")) {
        (Some(Value::Array(names)), ..) => names.iter().filter_map(named).collect(),
        (Some(name), ..) => named(name).into_iter().collect(),
        (None, Some(value), _) => vec![kind(&value.to_string())],
        (None, None, Some(Value::Array(values))) => {
            values.iter().map(|value| kind(&value.to_string())).collect()
        }
        _ => Vec::new(),
    }
}

/// Follows a reference within the schema.
fn referred<'a>(target: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(target.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"type": "object", "properties": {
        "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
        "a": {"type": "array"}, "o": {"type": "object"}, "z": {"type": "null"}, "sn": {"type": ["string", "null"]},
        "any": {}, "in": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "e": {"enum": ["1", "2"]},
        "r": {"$ref": "#/$defs/r"}, "loop": {"$ref": "#/properties/loop"}, "c": {"const": 5},
        "all": {"allOf": [{"description": "x"}, {"$ref": "#/$defs/r"}]}, "open": {"anyOf": [{}, {"type": "null"}]}
    }, "$defs": {"r": {"type": "integer"}}}"##;

    fn one(key: &str, value: &str) -> Result<String, String> {
        let is_json = key.ends_with(':');
        let assignment = Assignment { key: key.trim_end_matches(':'), value, is_json };
        let schema: &RawValue = serde_json::from_str(SCHEMA).unwrap();
        let written = arguments(&[assignment], schema)?;
        let (_, value) = written.get().trim_end_matches('}').split_once(':').unwrap();
        Ok(value.to_owned() + if value.contains('{') { "}" } else { "" })
    }

    #[test]
    #[rustfmt::skip]
    fn a_value_has_the_type_that_the_schema_allows() {
        for (key, value, written) in [
            ("s", "5", "\"5\""),                  ("s", "a\"b", "\"a\\\"b\""),     ("s", "", "\"\""),
            ("i", "5", "5"),                      ("i", "1.0", "1.0"),             ("i", "-7", "-7"),
            ("i", "123456789012345678901234567890", "123456789012345678901234567890"),
            ("n", "1.10", "1.10"),                ("n", "1e400", "1e400"),         ("b", "true", "true"),
            ("a", "[1, 2]", "[1, 2]"),            ("o", "{\"k\":1}", "{\"k\":1}"), ("z", "null", "null"),
            ("sn", "null", "null"),               ("sn", "x", "\"x\""),            ("sn", "5", "\"5\""),
            ("in", "null", "null"),               ("in", "5", "5"),                ("e", "1", "\"1\""),
            ("r", "5", "5"),                      ("all", "5", "5"),               ("c", "5", "5"),
            ("any", "5", "5"),                    ("any", "x y", "\"x y\""),       ("any", "\"x\"", "\"x\""),
            ("open", "x", "\"x\""),               ("loop", "x", "\"x\""),          ("new", "true", "true"),
            ("s:", "5", "5"),
        ] {
            assert_eq!(one(key, value).as_deref(), Ok(written), "{key}={value}");
        }
    }

    #[test]
    fn a_value_of_no_allowed_type_is_refused() {
        for (key, value) in
            [("i", "abc"), ("i", "1.5"), ("b", "yes"), ("a", "1,2"), ("in", "x"), ("r", ""), ("any:", "x")]
        {
            assert!(one(key, value).is_err(), "{key}={value}");
        }
        assert_eq!(one("in", "x").unwrap_err(), "in takes integer or null, and \"x\" is none");
    }
}

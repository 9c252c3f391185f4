//! How much work a schema makes: how many subschemas it comes to, with every reference written out.
//!
//! References let a few lines stand for more subschemas than any clock has seconds. A circle counts once: whoever
//! evaluates it stops where it closes.

use std::collections::HashMap;

use serde_json::Value;

/// The most subschemas.
const MOST: usize = 10_000;

/// The deepest nesting, references included: evaluation recurses as deep.
const DEEPEST: usize = 200;

/// Returns how many subschemas a schema comes to.
///
/// # Errors
///
/// The schema comes to too many, nests too deep, or refers to something that is not in it.
pub(super) fn cost(schema: &Value) -> Result<usize, String> {
    let mut walk = Walk { root: schema, known: HashMap::new(), open: Vec::new() };
    walk.value(schema, 0)
}

struct Walk<'a> {
    root: &'a Value,
    /// What a reference comes to.
    known: HashMap<&'a str, usize>,
    /// The references that are being followed.
    open: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    /// Counts a value and all below it. What is plain data counts too: that only makes the count too large.
    fn value(&mut self, value: &'a Value, depth: usize) -> Result<usize, String> {
        if depth > DEEPEST {
            return Err(format!("it nests deeper than {DEEPEST} subschemas"));
        }
        let mut cost: usize = 1;
        let mut add = |more: usize| {
            cost = cost.saturating_add(more);
            match cost > MOST {
                true => Err(format!("it comes to more than {MOST} subschemas")),
                false => Ok(()),
            }
        };
        match value {
            Value::Array(items) => {
                for item in items.iter().filter(|item| item.is_object() || item.is_array()) {
                    add(self.value(item, depth + 1)?)?;
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    match (name.as_str(), member) {
                        ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                            add(self.reference(reference, depth + 1)?)?;
                        }
                        // Definitions count where they are referred to.
                        ("$defs" | "definitions", Value::Object(_)) => {}
                        (_, Value::Object(_) | Value::Array(_)) => add(self.value(member, depth + 1)?)?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(cost)
    }

    fn reference(&mut self, reference: &'a str, depth: usize) -> Result<usize, String> {
        if self.open.contains(&reference) || reference == "#" {
            return Ok(1);
        }
        if let Some(cost) = self.known.get(reference) {
            return Ok(*cost);
        }
        let target = reference.strip_prefix('#').and_then(|place| self.find(place));
        let target = target.ok_or_else(|| "it refers to something that is not in it".to_owned())?;
        self.open.push(reference);
        let cost = self.value(target, depth);
        self.open.pop();
        let cost = cost?;
        self.known.insert(reference, cost);
        Ok(cost)
    }

    /// Finds what a fragment names: a place, or an anchor.
    fn find(&self, fragment: &str) -> Option<&'a Value> {
        match fragment.starts_with('/') {
            true => self.root.pointer(fragment),
            false => anchored(self.root, fragment),
        }
    }
}

fn anchored<'a>(value: &'a Value, anchor: &str) -> Option<&'a Value> {
    let is_named = |keyword| value.get(keyword).and_then(Value::as_str) == Some(anchor);
    if is_named("$anchor") || is_named("$dynamicAnchor") {
        return Some(value);
    }
    match value {
        Value::Object(members) => members.values().find_map(|member| anchored(member, anchor)),
        Value::Array(items) => items.iter().find_map(|item| anchored(item, anchor)),
        _ => None,
    }
}

//! JSON Schema: checks a value against one. Nothing that a schema refers to is ever fetched.
//!
//! The dialect is 2020-12, or the one that the schema declares. Schemas that come from a peer are bounded by
//! [`Checker::of_peer`], since some small ones would take for ever.

mod cost;

use std::fmt;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most faults that are told of one value: who reads them can mend a few at a time.
const MOST_FAULTS: usize = 5;

/// The longest description of one fault, in characters.
const FAULT_CHARS: usize = 300;

/// The most work for one check of a peer's value against a peer's schema: subschemas times bytes.
const MOST_WORK: usize = 500_000_000;

/// A schema, compiled once.
pub(crate) struct Checker {
    validator: Validator,
    /// How many subschemas a value may be held against.
    cost: usize,
}

impl Checker {
    /// Compiles a schema of our own.
    pub(crate) fn compile(schema: &RawValue) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        let validator = jsonschema::options().build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { validator, cost: 1 })
    }

    /// Compiles a schema that came from a peer: one that would take too long is refused, and so is a pattern that only
    /// backtracking can match.
    pub(crate) fn of_peer(schema: &RawValue) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        let cost = cost::cost(&schema)?;
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { validator, cost })
    }

    /// Tells whether a check of a value that came from a peer ends in good time.
    pub(crate) fn is_affordable(&self, value: &RawValue) -> bool {
        self.cost.saturating_mul(value.get().len()) <= MOST_WORK
    }

    /// Checks a value, and tells where and how it is wrong.
    pub(crate) fn check(&self, value: &RawValue) -> Result<(), Misfit> {
        let value: Value =
            serde_json::from_str(value.get()).map_err(|error| Misfit(vec![error.to_string()]))?;
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        let faults = self.validator.iter_errors(&value).take(MOST_FAULTS).map(|error| {
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "/" } else { &path };
            let text = format!("at {place}: {error}");
            match text.char_indices().nth(FAULT_CHARS) {
                None => text,
                Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            }
        });
        Err(Misfit(faults.collect()))
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("cost", &self.cost).finish_non_exhaustive()
    }
}

/// Where and how a value does not fit a schema.
#[derive(Debug)]
pub(crate) struct Misfit(Vec<String>);

/// One fault a line, each with a hyphen before it.
impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|fault| write!(f, "\n- {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_value_is_held_against_the_dialect_that_the_schema_declares() {
        let draft_7 = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#;
        assert!(Checker::of_peer(&raw(draft_7)).unwrap().check(&raw("[7]")).is_err());
        let modern = Checker::of_peer(&raw(r#"{"prefixItems":[{"type":"string"}]}"#)).unwrap();
        let misfit = modern.check(&raw("[7]")).unwrap_err();
        assert!(misfit.to_string().contains("at /0: 7 is not of type"), "{misfit}");
        assert!(modern.check(&raw(r#"["x"]"#)).is_ok());
    }

    #[test]
    fn a_schema_that_would_be_fetched_or_take_for_ever_is_refused() {
        let doubling = |keyword: &str| {
            let level = |at: u32| {
                format!(
                    r##""a{at}":{{"{keyword}":[{{"$ref":"#/$defs/a{0}"}},{{"$ref":"#/$defs/a{0}"}}]}}"##,
                    at + 1
                )
            };
            let levels: Vec<String> = (0..40).map(level).collect();
            format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a40":{{"type":"string"}}}}}}"##, levels.join(","))
        };
        let (all, any) = (doubling("allOf"), doubling("anyOf"));
        for bad in [
            all.as_str(),
            any.as_str(),
            r#"{"$ref":"https://example.invalid/schema.json"}"#,
            r#"{"type":"string","pattern":"^(?=a)(a+)+$"}"#,
            r#"{"type":7}"#,
            "7",
        ] {
            assert!(Checker::of_peer(&raw(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let tree = Checker::of_peer(&raw(
            r##"{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"},"n":{"type":"integer"}}}"##,
        ))
        .unwrap();
        assert!(tree.check(&raw(r#"{"left":{"n":1,"right":{"n":2}}}"#)).is_ok());
        assert!(tree.check(&raw(r#"{"left":{"n":1,"right":{"n":"2"}}}"#)).is_err());
        for circle in [r##"{"$ref":"#"}"##, r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##] {
            let checker = Checker::of_peer(&raw(circle)).unwrap();
            assert!(checker.check(&raw(r#"{"a":[1]}"#)).is_ok());
        }
    }
}

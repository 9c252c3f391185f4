//! Schemas that come from a peer, within bounds.

use std::fmt;

use jsonschema::PatternOptions;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Checker, Misfit, cost};

/// The most work for one check of a peer's value against a peer's schema: subschemas times bytes.
const MOST_WORK: usize = 500_000_000;

/// A schema of a peer, compiled once.
pub(crate) struct PeerSchema {
    checker: Checker,
    /// How many subschemas a value may be held against.
    cost: usize,
}

impl PeerSchema {
    /// Compiles a schema: one that would take too long is refused, and so is a pattern that only backtracking can match.
    pub(crate) fn compile(schema: &RawValue) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        let cost = cost::cost(&schema)?;
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { checker: Checker { validator }, cost })
    }

    /// Checks a value, and tells where and how it is wrong; one whose check would not end in good time is let pass.
    pub(crate) fn check(&self, value: &RawValue) -> Result<(), Misfit> {
        match self.cost.saturating_mul(value.get().len()) <= MOST_WORK {
            true => self.checker.check(value),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for PeerSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerSchema").field("cost", &self.cost).finish_non_exhaustive()
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
        assert!(PeerSchema::compile(&raw(draft_7)).unwrap().check(&raw("[7]")).is_err());
        let modern = PeerSchema::compile(&raw(r#"{"prefixItems":[{"type":"string"}]}"#)).unwrap();
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
            assert!(PeerSchema::compile(&raw(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let tree = PeerSchema::compile(&raw(
            r##"{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"},"n":{"type":"integer"}}}"##,
        ))
        .unwrap();
        assert!(tree.check(&raw(r#"{"left":{"n":1,"right":{"n":2}}}"#)).is_ok());
        assert!(tree.check(&raw(r#"{"left":{"n":1,"right":{"n":"2"}}}"#)).is_err());
        for circle in [r##"{"$ref":"#"}"##, r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##] {
            let checker = PeerSchema::compile(&raw(circle)).unwrap();
            assert!(checker.check(&raw(r#"{"a":[1]}"#)).is_ok());
        }
    }
}

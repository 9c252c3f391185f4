//! JSON Schema: checks a value against one. Nothing that a schema refers to is ever fetched.
//!
//! The dialect is 2020-12, or the one that the schema declares. Schemas of our own go in as they are; those of a peer are
//! bounded, since some small ones would take for ever.

#[cfg(feature = "client")]
mod cost;
#[cfg(feature = "server")]
mod own;
#[cfg(feature = "client")]
mod peer;

use std::fmt;

use jsonschema::Validator;
use serde_json::Value;
use serde_json::value::RawValue;

#[cfg(feature = "client")]
pub(crate) use peer::PeerSchema;

/// The most faults that are told of one value: who reads them can mend a few at a time.
const MOST_FAULTS: usize = 5;

/// The longest description of one fault, in characters.
const FAULT_CHARS: usize = 300;

/// A schema, compiled once.
pub(crate) struct Checker {
    validator: Validator,
}

impl Checker {
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

/// Where and how a value does not fit a schema.
#[derive(Debug)]
pub(crate) struct Misfit(Vec<String>);

/// One fault a line, each with a hyphen before it.
impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|fault| write!(f, "\n- {fault}"))
    }
}

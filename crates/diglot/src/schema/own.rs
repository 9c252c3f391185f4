//! Schemas of our own.

use serde_json::Value;
use serde_json::value::RawValue;

use super::Checker;

impl Checker {
    /// Compiles a schema of our own.
    pub(crate) fn compile(schema: &RawValue) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        let validator = jsonschema::options().build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }
}

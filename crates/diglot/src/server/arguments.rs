//! The arguments of a call: checked against their schema, then read as the handler's type.

use std::fmt::Write as _;

use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::server::ToolError;

/// The most faults that are told of one call: a model can mend a few at a time.
const MOST_FAULTS: usize = 5;

/// Returns the JSON Schema (2020-12) of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Box<RawValue> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    to_raw_value(&schema).expect("a schema is JSON")
}

/// The schema of a tool's arguments, compiled once.
pub(crate) struct Checker {
    validator: Validator,
}

impl Checker {
    /// Compiles a schema: 2020-12, or the dialect that it declares. Nothing is ever fetched.
    pub(crate) fn compile(schema: &RawValue) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        let validator = jsonschema::options().build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    /// Checks arguments and says, for the model, where and how they are wrong.
    pub(crate) fn check(&self, arguments: &RawValue) -> Result<(), ToolError> {
        let value: Value = serde_json::from_str(arguments.get())?;
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        let mut text = String::from("the arguments do not fit the tool's schema:");
        for error in self.validator.iter_errors(&value).take(MOST_FAULTS) {
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "/" } else { &path };
            let _ = write!(text, "\n- at {place}: {error}");
        }
        Err(ToolError::new(text))
    }
}

/// Reads arguments as a type; what does not fit is told with its place.
pub(crate) fn read<T: DeserializeOwned>(arguments: Option<&RawValue>) -> Result<T, ToolError> {
    serde_json::from_str(arguments.map_or("{}", RawValue::get))
        .map_err(|error| ToolError::new(format!("the arguments cannot be read: {error}")))
}

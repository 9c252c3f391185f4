//! The arguments of a call: checked against their schema, then read as the handler's type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::schema::Checker;
use crate::server::ToolError;

/// Returns the JSON Schema (2020-12) of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Box<RawValue> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    to_raw_value(&schema).expect("a schema is JSON")
}

/// Checks arguments and says, for the model, where and how they are wrong.
pub(crate) fn check(checker: &Checker, arguments: &RawValue) -> Result<(), ToolError> {
    checker
        .check(arguments)
        .map_err(|misfit| ToolError::new(format!("the arguments do not fit the tool's schema:{misfit}")))
}

/// Reads arguments as a type; what does not fit is told with its place.
pub(crate) fn read<T: DeserializeOwned>(arguments: Option<&RawValue>) -> Result<T, ToolError> {
    serde_json::from_str(arguments.map_or("{}", RawValue::get))
        .map_err(|error| ToolError::new(format!("the arguments cannot be read: {error}")))
}

//! Parameters of a tool that are mirrored into headers: the annotation `x-mcp-header` of its input schema.
//!
//! A schema is compiled once; a call then finds the values by their paths in the raw arguments, in one pass. See "Custom
//! Headers from Tool Parameters" in the Streamable HTTP transport of revision 2026-07-28.

mod annotation;
mod find;
mod parameter;
mod schema;

use serde_json::value::RawValue;

use parameter::Param;

pub use annotation::{ANNOTATION, BadAnnotation, BadAnnotationKind, MAX_PARAM_HEADERS};
pub use parameter::UnsafeInteger;

use super::headers::encode_value;
use super::mirror::{Field, HeaderMismatch};
use crate::jsonrpc::peek;

/// The headers that mirror parameters of one tool.
#[derive(Debug, Clone, Default)]
pub struct ParamHeaders {
    /// In the order of their paths, so that those below one property stand together.
    params: Vec<Param>,
}

impl ParamHeaders {
    /// Reads the annotations of an input schema.
    ///
    /// A type may be an array of one primitive and `"null"`, which is how an optional parameter is often written.
    ///
    /// # Errors
    ///
    /// [`BadAnnotation`] if an annotation breaks a rule; the tool must then be left out.
    pub fn compile(input_schema: &RawValue) -> Result<Self, BadAnnotation> {
        let text = input_schema.get().as_bytes();
        // The keyword may be spelled with escapes.
        let has = |part: &str| memchr::memmem::find(text, part.as_bytes()).is_some();
        if !has(ANNOTATION) && !has(r"\u") {
            return Ok(Self::default());
        }
        let mut params = schema::read(input_schema)?;
        params.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { params })
    }

    /// Says whether the tool mirrors no parameter.
    pub fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// Returns the names of the headers, in lower case.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|param| &*param.header)
    }

    /// Returns the headers for a call with these arguments, their names in lower case and their values encoded.
    ///
    /// A parameter that is absent, `null` or of another type than its schema says has no header; in the last case the
    /// server is to refuse the arguments.
    ///
    /// # Errors
    ///
    /// [`UnsafeInteger`] if an integer lies outside ±(2^53 − 1), which the specification does not allow here.
    pub fn extract(&self, arguments: Option<&RawValue>) -> Result<Vec<(&str, String)>, UnsafeInteger> {
        let mut headers = Vec::new();
        for (param, value) in self.values(arguments) {
            if let Some(text) = value.map(|value| param.text(value)).transpose()?.flatten() {
                headers.push((&*param.header, encode_value(&text).into_owned()));
            }
        }
        Ok(headers)
    }

    /// Checks that the headers of a request mirror its arguments.
    ///
    /// `field` returns what the request has for a header, whose name it gets in lower case. Integers are compared by
    /// their value; a parameter of another type than its schema says need not have a header, and if it has one then both
    /// must say the same.
    ///
    /// # Errors
    ///
    /// [`HeaderMismatch`] for the first header that does not; see [`HeaderMismatch::error`].
    pub fn verify<'h>(
        &self,
        arguments: Option<&RawValue>,
        field: impl Fn(&str) -> Field<'h>,
    ) -> Result<(), HeaderMismatch> {
        self.values(arguments).try_for_each(|(param, value)| param.verify(value, field(&param.header)))
    }

    fn values<'a>(
        &self,
        arguments: Option<&'a RawValue>,
    ) -> impl Iterator<Item = (&Param, Option<&'a RawValue>)> {
        let found = find::find(&self.params, arguments);
        self.params.iter().zip(found).map(|(param, value)| (param, value.filter(|raw| !peek::is_null(raw))))
    }
}

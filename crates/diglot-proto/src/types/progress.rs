//! How far a request has come.

use std::fmt;

use serde_json::value::RawValue;

use crate::object::Object;

/// What a `notifications/progress` says (`basic/patterns/progress`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done, in units of the server's own.
    pub progress: f64,
    /// How much there is in all, in the same units, where the server knows.
    pub total: Option<f64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

impl Progress {
    /// Reads a notification's parameters, or nothing where they tell no progress.
    pub fn read(params: &RawValue) -> Option<Self> {
        let object = Object::read(params)?;
        Some(Self {
            progress: object.parse("progress")?,
            total: object.parse("total"),
            message: object.string("message"),
        })
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.progress)?;
        if let Some(total) = self.total {
            write!(f, "/{total}")?;
        }
        match &self.message {
            Some(message) => write!(f, " {message}"),
            None => Ok(()),
        }
    }
}

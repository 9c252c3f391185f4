//! What a check found wrong.

use std::fmt;

/// Says what is wrong, and where.
#[derive(Debug, PartialEq)]
pub struct Failure {
    revision: String,
    definition: String,
    /// The member, or a file and line; empty where it is about the whole.
    place: String,
    what: String,
}

impl Failure {
    pub fn new(revision: &str, definition: &str, place: &str, what: impl Into<String>) -> Self {
        Self {
            revision: revision.to_owned(),
            definition: definition.to_owned(),
            place: place.to_owned(),
            what: what.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.revision, self.definition)?;
        if !self.place.is_empty() {
            write!(f, " {}", self.place)?;
        }
        write!(f, ": {}", self.what)
    }
}

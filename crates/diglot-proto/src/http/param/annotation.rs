//! What can be wrong with an annotation.

use std::fmt;

/// The keyword that marks a parameter.
pub const ANNOTATION: &str = "x-mcp-header";

/// How many parameters of one tool may be mirrored.
pub const MAX_PARAM_HEADERS: usize = 64;

/// Says which annotation breaks a rule, and which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadAnnotation {
    /// Where the annotated schema stands, as keys with slashes between them, cut and escaped.
    pub place: Box<str>,
    /// The rule.
    pub kind: BadAnnotationKind,
}

/// Classifies what is wrong with an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BadAnnotationKind {
    /// The name is empty.
    Empty,
    /// The name is no string.
    NotText,
    /// The name has a character that the name of a header cannot have.
    NotToken,
    /// Another annotation of the schema has the same name, case aside.
    Repeated,
    /// The parameter is no string, integer or boolean.
    Type,
    /// The annotation does not stand on a property that is reached through `properties` alone.
    Misplaced,
    /// The schema has more than [`MAX_PARAM_HEADERS`] annotations.
    TooMany,
    /// The schema cannot be read, because it nests too deep or has a number beyond any float.
    Unreadable,
}

impl fmt::Display for BadAnnotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match self.kind {
            BadAnnotationKind::Empty => write!(f, "`{ANNOTATION}` at `{place}` is empty"),
            BadAnnotationKind::NotText => write!(f, "`{ANNOTATION}` at `{place}` is no string"),
            BadAnnotationKind::NotToken => {
                write!(f, "`{ANNOTATION}` at `{place}` has a character that the name of a header cannot have")
            }
            BadAnnotationKind::Repeated => {
                write!(f, "`{ANNOTATION}` at `{place}` names a header that another parameter has already")
            }
            BadAnnotationKind::Type => write!(
                f,
                "`{ANNOTATION}` at `{place}` is on a parameter whose type is not string, integer or boolean"
            ),
            BadAnnotationKind::Misplaced => write!(
                f,
                "`{ANNOTATION}` at `{place}` is not on a property that is reached through `properties` alone"
            ),
            BadAnnotationKind::TooMany => {
                write!(f, "the schema has more than {MAX_PARAM_HEADERS} annotations `{ANNOTATION}`")
            }
            BadAnnotationKind::Unreadable => f.write_str("the schema cannot be read"),
        }
    }
}

impl std::error::Error for BadAnnotation {}

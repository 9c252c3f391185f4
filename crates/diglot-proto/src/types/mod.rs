//! The types of the specification.

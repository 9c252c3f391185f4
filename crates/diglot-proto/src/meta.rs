//! The reserved keys of _meta.

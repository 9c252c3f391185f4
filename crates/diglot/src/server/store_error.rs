//! The error of a store that a user of the library provides.

/// Any error of a store.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

//! The limits of a message.

/// How deep arrays and objects may nest in a message, itself included.
///
/// Every `params` and `result` of a message within it can be decoded by `serde_json`, which stops at 128 too.
pub const MAX_DEPTH: usize = 128;

/// How many messages a batch may have.
pub const MAX_BATCH: usize = 1024;

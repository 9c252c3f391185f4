//! The reserved keys of _meta.

/// The server identity.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

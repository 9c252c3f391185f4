//! The MCP endpoint over HTTP, asked request by request and over real sockets.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod desk;
mod modern;
mod sessions;

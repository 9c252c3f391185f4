//! The MCP endpoint over HTTP, asked request by request and over real sockets.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod accept;
mod desk;
mod guard;
mod modern;
mod sessions;
mod streams;

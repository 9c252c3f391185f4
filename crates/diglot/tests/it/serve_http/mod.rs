//! The MCP endpoint over HTTP, asked request by request and over real sockets.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod accept;
mod clients;
pub(crate) mod desk;
mod guard;
mod http_sse;
mod modern;
mod scenarios;
mod session_streams;
mod sessions;
mod sockets;
mod store;
mod streams;

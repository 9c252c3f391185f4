//! The integration tests of the protocol core, one module a room.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod accept;
mod classify;
mod headers;
mod jsonrpc;
mod lines;
mod meta;
mod method;
mod negotiation;
mod param;
mod session;
mod sse;
mod trace;
mod types;
mod version;

//! The integration tests of the protocol core, one module a room.

mod accept;
mod classify;
mod headers;
mod jsonrpc;
mod lines;
mod meta;
mod method;
mod negotiation;
mod param;
mod sse;
mod version;

//! The integration tests of the protocol core, one module a room.

mod jsonrpc;
mod lines;
mod sse;

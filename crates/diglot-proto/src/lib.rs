//! The Model Context Protocol without I/O: what messages say, what answers mean, and which era a peer speaks.
//!
//! Everything here is a value or a function of values: no runtime, no clock, no randomness, no sockets.
//! The crate `diglot` drives it over real transports; its users rarely need to name this crate.

pub mod http;
pub mod jsonrpc;
pub mod lifecycle;
pub mod lines;
pub mod meta;
pub mod method;
pub mod object;
pub mod types;
pub mod version;

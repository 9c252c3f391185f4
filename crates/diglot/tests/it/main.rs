//! The integration tests of the client, one module a room.

mod client;
#[cfg(feature = "reqwest")]
mod http;
mod memory;
mod pipe;
#[cfg(test)]
mod stage;

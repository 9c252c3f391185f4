//! The integration tests of the client, one module a room.

mod client;
mod memory;
mod pipe;
#[cfg(test)]
mod stage;

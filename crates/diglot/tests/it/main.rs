//! The integration tests of the client, one module a room.

mod memory;
mod pipe;
#[cfg(test)]
mod stage;

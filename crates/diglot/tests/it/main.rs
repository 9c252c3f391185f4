//! The integration tests of the client, one module a room.

mod client;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod child;
mod memory;
mod pipe;
#[cfg(test)]
mod stage;

//! The integration tests of the client, one module a room.

#[cfg(target_os = "linux")]
mod child;
mod client;
mod http;
mod memory;
mod pipe;
mod stage;

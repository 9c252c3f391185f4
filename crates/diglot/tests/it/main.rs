//! The integration tests of the client, one module a room.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod behaviours;
mod between;
#[cfg(target_os = "linux")]
mod child;
mod client;
mod examples;
mod faults;
mod fidelity;
mod http;
mod listening;
#[cfg(target_os = "linux")]
mod load;
mod matrix;
mod memory;
mod mirroring;
mod pipe;
mod played;
mod recording;
mod recovery;
mod scenarios;
#[cfg(target_os = "linux")]
mod serve_faults;
mod serve_http;
mod serve_pipe;
mod site;
mod skills;
mod stage;
mod tasks;
mod wires;

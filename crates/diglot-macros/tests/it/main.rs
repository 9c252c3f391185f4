//! The integration tests of the attributes, one module a room.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod blocks;
mod calls;
mod conditions;
mod hygiene;
mod prompts;
mod refused;
mod schemas;
mod stage;

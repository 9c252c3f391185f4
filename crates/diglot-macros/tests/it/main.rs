//! The integration tests of the attributes, one module a room.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod block;
mod functions;
mod refused;

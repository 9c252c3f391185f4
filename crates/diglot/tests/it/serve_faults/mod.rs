//! What clients and handlers can do to a server at their worst: none of it harms the next request.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod bodies;
mod connections;
mod handlers;
mod intake;
mod parts;
mod readers;
mod shop;
mod streams;
mod whole;

//! Runs the built command from outside.

mod demo;

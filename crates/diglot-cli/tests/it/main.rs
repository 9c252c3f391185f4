//! The integration tests of the command, run as a process.

mod demo;

//! The integration tests of the command, run as a process.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

#[cfg(unix)]
mod asking;
#[cfg(unix)]
mod call;
#[cfg(unix)]
mod config;
mod demo;
mod faults;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod list;
#[cfg(unix)]
mod listen;
mod probe;
#[cfg(unix)]
mod prompt;
#[cfg(unix)]
mod read;
mod run;
#[cfg(unix)]
mod serve;
mod site;
#[cfg(unix)]
mod trace;
mod usage;
#[cfg(unix)]
mod verbose;

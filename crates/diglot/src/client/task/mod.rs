//! Calls that go on as tasks: the extension `io.modelcontextprotocol/tasks`, and the experimental tasks of revision
//! 2025-11-25.
//!
//! A program that awaits a call does not see whether the server made a task of it: the client looks how it stands, and
//! answers what it asks by the same handlers as ever. One that wants to leave and come back takes the handle.

mod answering;
mod begin;
mod choice;
mod chosen;
mod handle;
mod leave;
mod notices;
mod wait;
mod wire;

pub use self::chosen::OnDrop;
pub use self::handle::{Started, TaskHandle};

pub(super) use self::begin::{Begun, begin};
pub(super) use self::chosen::TaskUse;
pub(super) use self::wait::finish;

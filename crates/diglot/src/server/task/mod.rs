//! Calls of tools that go on after their first answer: the extension `io.modelcontextprotocol/tasks`, and the
//! experimental tasks of revision 2025-11-25.
//!
//! A handler does not know: it runs in a task of the runtime in place of the request, and its questions are parked where
//! the client finds them. What a task is for the outside is one record in a [`TaskStore`], which every change replaces
//! as a whole; the process that runs the handler watches the record like everyone else.

mod answer;
mod call;
mod desk;
mod drive;
mod legacy;
mod limits;
mod live;
mod memory;
mod modern;
mod plan;
mod seat;
mod state;
mod store;
mod table;
mod time;
mod tool;
mod watch;

pub(crate) use self::answer::answer;
pub(crate) use self::call::{call, wants};
pub(crate) use self::legacy::capability as legacy_capability;
pub use self::limits::TaskLimits;
pub(crate) use self::modern::{declares, missing_extension};
pub(crate) use self::plan::Plan;
pub(crate) use self::seat::Seat;
pub use self::store::{TaskRecord, TaskStore};
pub(crate) use self::table::Tasks;
pub(crate) use self::watch::Watching;

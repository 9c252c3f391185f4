//! What a program chose to do about tasks.

use diglot_proto::types::tasks::Task;

/// What happens to the task of a call whose future is dropped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDrop {
    /// The server is asked to cancel it, as it would be for any other request.
    Cancel,
    /// It goes on; nobody will fetch its result.
    Leave,
}

/// A function that hears how a task stands.
pub(super) type TaskListener = Box<dyn FnMut(&Task) + Send>;

/// What a call does about the task that it may become.
#[derive(Default)]
pub(crate) struct TaskUse {
    /// What happens to it where the call says so itself.
    pub(crate) on_drop: Option<OnDrop>,
    pub(crate) on_task: Option<TaskListener>,
}

//! How an author says that calls of a tool become tasks.

use std::time::Duration;

use diglot_proto::types::TaskSupport;

use crate::server::Tool;

/// How calls of the tool run as tasks.
impl Tool {
    /// Lets calls of the tool become tasks, which go on after the request is answered.
    ///
    /// With [`TaskSupport::Optional`] they do for every client that understands tasks; for others the request waits for
    /// the result. With [`TaskSupport::Required`] other clients are refused (`-32021`). The handler is the same in any
    /// case: a question that it asks in a task waits until the client answers it, and when the task is cancelled, the
    /// handler's future is dropped where it stands.
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.plan.support = support;
        self
    }

    /// Sets how long a task of the tool is kept from its creation; past it, it is cut off. See [`TaskLimits::ttl`].
    ///
    /// [`TaskLimits::ttl`]: crate::server::TaskLimits::ttl
    #[must_use]
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.plan.ttl = Some(ttl);
        self
    }

    /// Sets how long clients are asked to wait between two looks at a task of the tool; 1 second unless set.
    #[must_use]
    pub fn task_poll_interval(mut self, interval: Duration) -> Self {
        self.plan.poll_interval = Some(interval);
        self
    }

    /// Lets the handler say when the task begins, by [`Context::start_task`](crate::Context::start_task).
    ///
    /// Until then it runs within the request: its questions are asked there, as of any other tool, and if it ends
    /// before, its result is the answer and there is no task.
    #[must_use]
    pub fn starts_task_itself(mut self) -> Self {
        self.plan.starts_itself = true;
        self
    }
}

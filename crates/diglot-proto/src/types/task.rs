//! Tasks: requests that go on after their first answer, in revision 2025-11-25.

record! {
    /// Asks that a request run as a task.
    TaskMetadata {
        /// How long the task is to be kept, in milliseconds from its creation.
        optional ttl: u64 = "ttl";
    }
}

record! {
    /// Names the task to which a message belongs, within its `_meta`.
    RelatedTaskMetadata {
        /// The name of the task.
        required task_id: String = "taskId";
    }
}

words! {
    /// Says where a task stands.
    TaskStatus {
        /// It goes on.
        Working "working",
        /// It waits for the client.
        InputRequired "input_required",
        /// It is done, and its result can be fetched.
        Completed "completed",
        /// It failed.
        Failed "failed",
        /// It was cancelled.
        Cancelled "cancelled",
    }
}

record! {
    /// A task; also the answer to `tasks/get` and `tasks/cancel`, and what `notifications/tasks/status` tells.
    Task {
        /// The name of the task.
        required task_id: String = "taskId";
        /// Where it stands.
        required status: TaskStatus = "status";
        /// More about that, for people.
        optional status_message: String = "statusMessage";
        /// When it was created, as an ISO 8601 date.
        lenient created_at: String = "createdAt";
        /// When it last changed, as an ISO 8601 date.
        lenient last_updated_at: String = "lastUpdatedAt";
        /// How long it is kept, in milliseconds from its creation; without limit where this is nothing.
        lenient ttl: Option<u64> as Nullable = "ttl";
        /// How long to wait before asking again, in milliseconds.
        optional poll_interval: u64 = "pollInterval";
    } with meta
}

record! {
    /// The first answer to a request that runs as a task.
    CreateTaskResult {
        /// The task.
        required task: Task = "task";
    } with meta
}

record! {
    /// The parameters of `tasks/get`, `tasks/result` and `tasks/cancel`.
    TaskParams {
        /// The name of the task.
        required task_id: String = "taskId";
    } with meta
}

record! {
    /// The answer to `tasks/list`.
    ListTasksResult {
        /// The tasks of this page.
        expected tasks: Vec<Task> = "tasks";
    } with page, meta, left_out
}

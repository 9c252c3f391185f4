//! Tasks: requests that go on after their first answer, in revision 2025-11-25.

record! {
    /// Asks that a request run as a task.
    TaskMetadata {
        /// How long the task is to be kept, in milliseconds from its creation.
        optional ttl: u64 = "ttl";
    }
}

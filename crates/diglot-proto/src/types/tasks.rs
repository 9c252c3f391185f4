//! Tasks of the modern era: requests that go on after their first answer (the extension `io.modelcontextprotocol/tasks`).
//!
//! One record serves the first answer, `tasks/get` and `notifications/tasks`: what they have in common is all but the
//! end and the questions. Those of revision 2025-11-25 are in [`crate::types`] itself.

use serde_json::value::RawValue;

use crate::jsonrpc::RpcError;
use crate::types::{InputRequests, Members, SubscriptionFilter, TaskStatus};

record! {
    /// A task: what a request is answered with in place of its result, and how it stands later (extension `tasks`, "Tasks").
    ///
    /// As the first answer, [`input_requests`](Self::input_requests), [`result`](Self::result) and
    /// [`error`](Self::error) are absent.
    Task {
        /// The name of the task, as good as a password for it.
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
        lenient ttl_ms: Option<u64> as Nullable = "ttlMs";
        /// How long to wait before asking again, in milliseconds.
        optional poll_interval_ms: u64 = "pollIntervalMs";
        /// What the server wants to know before the task goes on: all that is not answered yet.
        optional input_requests: InputRequests = "inputRequests";
        /// The result of the request, as it came, where the task is completed.
        optional result: Box<RawValue> as AnyObject = "result";
        /// The error of the request, as it came, where the task failed.
        optional error: Box<RawValue> as AnyObject = "error";
    } with result, meta
}

impl Task {
    /// Tells whether nothing about the task changes any more.
    pub fn is_over(&self) -> bool {
        self.status.is_over()
    }

    /// Returns the error of a failed task, where it has one that can be read.
    pub fn failure(&self) -> Option<RpcError> {
        RpcError::read(self.error.as_deref()?)
    }
}

impl TaskStatus {
    /// Tells whether a task that stands so does not change any more.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

record! {
    /// The parameters of `tasks/update`: answers to what a task has asked.
    UpdateTaskParams {
        /// The name of the task.
        required task_id: String = "taskId";
        /// The answers, by the names of the requests; there need not be all of them.
        required input_responses: Members = "inputResponses";
    } with meta
}

/// What the extension adds to the filter.
impl SubscriptionFilter {
    /// Returns the names of the tasks of which a subscription tells how they stand.
    pub fn tasks(&self) -> Vec<String> {
        let listed = self.extra.find(TASK_IDS).map(RawValue::get);
        listed.and_then(|listed| serde_json::from_str(listed).ok()).unwrap_or_default()
    }

    /// Sets the names of the tasks of which a subscription tells how they stand.
    #[must_use]
    pub fn with_tasks(mut self, tasks: &[String]) -> Self {
        match tasks {
            [] => drop(self.extra.remove(TASK_IDS)),
            tasks => {
                self.extra.insert(TASK_IDS, serde_json::value::to_raw_value(tasks).expect("texts serialise"))
            }
        }
        self
    }
}

const TASK_IDS: &str = "taskIds";

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_task_reads_as_the_extension_spells_it_and_writes_no_result_type() {
        let text = r#"{"resultType":"task","taskId":"t","status":"working","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","ttlMs":60000,"pollIntervalMs":5000}"#;
        let task = Task::read(&raw(text)).unwrap();
        assert_eq!(
            (task.task_id.as_str(), task.ttl_ms, task.poll_interval_ms),
            ("t", Some(60_000), Some(5_000))
        );
        assert!(!task.is_over());
        assert_eq!(serde_json::to_string(&task).unwrap(), text.replace(r#""resultType":"task","#, ""));
    }

    #[test]
    fn a_task_without_limit_says_so() {
        let task = Task::read(&raw(r#"{"taskId":"t","status":"cancelled","ttlMs":null}"#)).unwrap();
        assert!(task.is_over());
        assert!(serde_json::to_string(&task).unwrap().contains(r#""ttlMs":null"#));
    }

    #[test]
    fn the_error_of_a_failed_task_keeps_its_data() {
        let text = r#"{"taskId":"t","status":"failed","error":{"code":-5,"message":"no","data":{"a":1}}}"#;
        let error = Task::read(&raw(text)).unwrap().failure().unwrap();
        assert_eq!((error.code, &*error.message), (-5, "no"));
        assert_eq!(error.data.unwrap().get(), r#"{"a":1}"#);
    }

    #[test]
    fn a_filter_carries_the_names_of_tasks() {
        let filter = SubscriptionFilter::new().with_tasks(&["a".to_owned()]);
        assert_eq!(serde_json::to_string(&filter).unwrap(), r#"{"taskIds":["a"]}"#);
        assert_eq!(SubscriptionFilter::read(&raw(r#"{"taskIds":["a","b"]}"#)).unwrap().tasks(), ["a", "b"]);
        assert!(SubscriptionFilter::new().with_tasks(&[]).tasks().is_empty());
    }
}

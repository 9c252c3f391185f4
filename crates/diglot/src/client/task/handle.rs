//! A task in the hands of the program.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::types::tasks::Task;
use diglot_proto::types::{Members, ToolResult};

use crate::client::Client;
use crate::client::live::Inner;
use crate::client::task::{wait, wire};
use crate::error::{Error, Phase, TimeoutError};

/// What a call came to that was [started](crate::client::CallTool::start).
// exhaustive: a call has its result, or goes on.
#[derive(Debug)]
pub enum Started {
    /// The server answered with the result.
    Done(ToolResult),
    /// The call goes on as a task.
    Task(TaskHandle),
}

/// A task of a server.
///
/// Its [`id`](Self::id) may be kept, and the task taken up again by [`Client::task`], from another process too. Dropping
/// the handle, or the future of [`wait`](Self::wait), does nothing to the task.
#[derive(Clone)]
pub struct TaskHandle {
    inner: Arc<Inner>,
    id: String,
    /// How it stood at first, where that is known.
    first: Option<Task>,
}

impl Client {
    /// Takes up a task by its id. Nothing is sent yet.
    pub fn task(&self, id: impl Into<String>) -> TaskHandle {
        TaskHandle { inner: self.inner.clone(), id: id.into(), first: None }
    }
}

impl TaskHandle {
    pub(in crate::client) fn created(inner: Arc<Inner>, first: Task) -> Self {
        Self { inner, id: first.task_id.clone(), first: Some(first) }
    }

    /// Returns the id, which is as good as a password for the task.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns how the task stood when it was created, unless it was taken up by its id.
    pub fn first(&self) -> Option<&Task> {
        self.first.as_ref()
    }

    /// Asks how the task stands.
    ///
    /// # Errors
    ///
    /// The server does not know the task, or knows it no longer (`-32602`), among all else that can fail a request.
    pub async fn status(&self) -> Result<Task, Error> {
        wire::get(&self.inner, &self.id).await
    }

    /// Waits for the end of the task and returns the result of its call; what it asks is answered by the handlers.
    ///
    /// # Errors
    ///
    /// [`Error::Rpc`] if the task failed, [`Error::Cancelled`] if it was cancelled, and [`Error::Timeout`] past
    /// [`Limits::task_time`](crate::Limits::task_time).
    pub async fn wait(&self) -> Result<ToolResult, Error> {
        self.wait_for(self.inner.settings.limits.task_time).await
    }

    /// As [`wait`](Self::wait), with a time of its own.
    pub async fn wait_for(&self, budget: Duration) -> Result<ToolResult, Error> {
        let waiting = wait::to_the_end(&self.inner, &self.id, None, budget, None);
        match tokio::time::timeout(budget, waiting).await {
            Ok(ended) => ended,
            Err(_) => Err(TimeoutError::new(Phase::Request, "a task", budget).into()),
        }
    }

    /// Answers questions of the task by their keys, in place of the handlers.
    ///
    /// A legacy server asks by itself, so that there it is an unknown method.
    pub async fn respond(&self, responses: &Members) -> Result<(), Error> {
        wire::update(&self.inner, &self.id, responses).await
    }

    /// Asks the server to cancel the task. It may still end in another way.
    pub async fn cancel(&self) -> Result<(), Error> {
        wire::cancel(&self.inner, &self.id).await
    }
}

impl std::fmt::Debug for TaskHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The id is as good as a password.
        let status = self.first.as_ref().map(|task| &task.status);
        f.debug_struct("TaskHandle").field("first", &status).finish_non_exhaustive()
    }
}

//! How a program says what is to be done about tasks.

use diglot_proto::types::tasks::Task;

use crate::client::task::chosen::OnDrop;
use crate::client::task::handle::Started;
use crate::client::{CallTool, ClientBuilder};
use crate::error::Error;

impl ClientBuilder {
    /// Lets servers make tasks of calls, and declares so; they may not unless this is set.
    ///
    /// A call is awaited as before: the client looks how its task stands, in the time that the server suggests and within
    /// the [limits](crate::Limits), answers what the task asks by the same handlers as ever, and returns the result.
    /// When the future of the call is dropped, or its time is over, the task is cancelled, or left to itself.
    pub fn tasks(mut self, on_drop: OnDrop) -> Self {
        self.settings.tasks = Some(on_drop);
        self
    }
}

impl CallTool {
    /// Lets the server make a task of this call, in place of the client's setting; see [`ClientBuilder::tasks`].
    ///
    /// With a task, [`timeout`](Self::timeout) is the time of the first answer, and then that of the whole task; unless
    /// it is set, a task may take as long as [`Limits::task_time`](crate::Limits::task_time).
    pub fn tasks(mut self, on_drop: OnDrop) -> Self {
        self.task.on_drop = Some(on_drop);
        self
    }

    /// Hears how the task of the call stands, at each look.
    ///
    /// The function runs between two looks, so it should return quickly.
    pub fn on_task(mut self, listener: impl FnMut(&Task) + Send + 'static) -> Self {
        self.task.on_task = Some(Box::new(listener));
        self
    }

    /// Sends the call and returns what comes first: the result, or a handle of the task that it has become.
    ///
    /// The server may make a task of it whatever the client's setting is.
    ///
    /// # Errors
    ///
    /// All that can fail a request.
    pub async fn start(self) -> Result<Started, Error> {
        self.begin().await
    }
}

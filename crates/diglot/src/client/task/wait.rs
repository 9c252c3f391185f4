//! Waits for the end of a task: looks how it stands, in the time that the server suggests, and answers what it asks.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::types::tasks::Task;
use diglot_proto::types::{TaskStatus, ToolResult};
use diglot_proto::version::Era;
use tokio::time::Instant;

use crate::client::live::Inner;
use crate::client::task::answering::Answering;
use crate::client::task::chosen::{OnDrop, TaskListener};
use crate::client::task::leave::Leaving;
use crate::client::task::notices::Notices;
use crate::client::task::wire::{self, wrong};
use crate::error::{Error, Phase, TimeoutError};

/// How many looks may fail one after the other before the task is given up.
const MOST_FAILURES: u32 = 5;

/// Waits for the end of the task that a call has become, and returns the result of the call.
///
/// `budget` is how long that may take, where the caller says so; `on_drop` is what happens when it waits no more.
pub(in crate::client) async fn finish(
    inner: &Arc<Inner>,
    task: Task,
    on_drop: OnDrop,
    budget: Option<Duration>,
    on_task: Option<TaskListener>,
) -> Result<ToolResult, Error> {
    let id = task.task_id.clone();
    let leaving = Leaving::new(inner.clone(), id.clone(), on_drop);
    let budget = budget.unwrap_or(inner.settings.limits.task_time);
    let waiting = to_the_end(inner, &id, Some(task), budget, on_task);
    let ended = match tokio::time::timeout(budget, waiting).await {
        Ok(ended) => ended,
        Err(_) => return Err(TimeoutError::new(Phase::Request, "a task", budget).into()),
    };
    // After any other failure the task may go on, and nobody is left to ask for it.
    if matches!(ended, Ok(_) | Err(Error::Rpc(_) | Error::Cancelled)) {
        leaving.settle();
    }
    ended
}

/// Waits for the end of a task, from how it is known to stand.
pub(super) async fn to_the_end(
    inner: &Arc<Inner>,
    id: &str,
    known: Option<Task>,
    budget: Duration,
    mut on_task: Option<TaskListener>,
) -> Result<ToolResult, Error> {
    let limits = &inner.settings.limits;
    let mut task = match known {
        Some(task) => task,
        None => wire::get(inner, id).await?,
    };
    let is_legacy = inner.live().agreement.revision.era() == Era::Legacy;
    let mut answering = Answering::new(inner.settings.handlers.clone(), limits.task_inputs);
    let mut notices = Notices::default();
    let mut is_first = true;
    loop {
        if let Some(on_task) = &mut on_task {
            on_task(&task);
        }
        if is_legacy && task.status != TaskStatus::Working {
            return legacy_result(inner, id, budget).await;
        }
        if task.is_over() {
            return result(task);
        }
        answering.take(&task)?;
        // What is over at the next look is not worth a subscription.
        if !std::mem::take(&mut is_first) && !is_legacy {
            notices.begin(inner, id);
        }
        let look = Instant::now() + pause(inner, &task);
        task = tokio::select! {
            () = tokio::time::sleep_until(look) => look_again(inner, id, &task).await?,
            told = notices.next() => told,
            answers = answering.next() => {
                wire::update(inner, id, &answers?).await?;
                look_again(inner, id, &task).await?
            }
        };
    }
}

/// Returns how long to wait before the next look: what the server suggests, within the limits.
fn pause(inner: &Inner, task: &Task) -> Duration {
    let limits = &inner.settings.limits;
    let suggested = task.poll_interval_ms.map_or(limits.task_poll_default, Duration::from_millis);
    suggested.clamp(limits.task_poll_shortest, limits.task_poll_longest.max(limits.task_poll_shortest))
}

/// Looks how a task stands; a wire that fails for a while does not lose it.
async fn look_again(inner: &Arc<Inner>, id: &str, last: &Task) -> Result<Task, Error> {
    let mut wait = pause(inner, last);
    for _ in 1..MOST_FAILURES {
        match wire::get(inner, id).await {
            Err(error) if may_pass(&error) => {
                tracing::debug!(%error, "a look at a task failed; there will be another");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(inner.settings.limits.task_poll_longest);
            }
            looked => return looked,
        }
    }
    wire::get(inner, id).await
}

/// Tells whether an error may be gone at the next look.
fn may_pass(error: &Error) -> bool {
    match error {
        Error::Timeout(_) | Error::Transport(_) | Error::Lost(_) => true,
        Error::Http(detail) => matches!(detail.status, 429 | 502..=504),
        _ => false,
    }
}

/// Reads the end of a modern task as the end of its call.
fn result(task: Task) -> Result<ToolResult, Error> {
    match &task.status {
        TaskStatus::Completed => {
            let result = task.result.as_deref();
            let result =
                result.ok_or_else(|| wrong("tasks/get", "the task is completed and has no result"))?;
            ToolResult::read(result).map_err(|fault| wrong("tasks/get", fault.reason))
        }
        TaskStatus::Failed => match task.failure() {
            Some(error) => Err(error.into()),
            None => Err(wrong("tasks/get", "the task has failed and has no error")),
        },
        _ => Err(Error::Cancelled),
    }
}

/// Fetches the result of a legacy task, which may ask for something first.
async fn legacy_result(inner: &Arc<Inner>, id: &str, budget: Duration) -> Result<ToolResult, Error> {
    let fetched = wire::result(inner, id, budget).await;
    if fetched.is_err() && wire::get(inner, id).await.is_ok_and(|task| task.status == TaskStatus::Cancelled) {
        return Err(Error::Cancelled);
    }
    ToolResult::read(&fetched?).map_err(|fault| wrong("tasks/result", fault.reason))
}

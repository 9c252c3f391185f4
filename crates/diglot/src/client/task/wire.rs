//! The requests about a task, in the words of the era.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::object::Object;
use diglot_proto::types::tasks::Task;
use diglot_proto::types::{self, Members, TaskParams};
use diglot_proto::version::Era;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::live::Inner;
use crate::client::options::Options;
use crate::client::request::Call;
use crate::error::{Error, ProtocolError, Violation};

/// Asks how a task stands.
pub(super) async fn get(inner: &Arc<Inner>, id: &str) -> Result<Task, Error> {
    let result = send(inner, "tasks/get", &TaskParams::new(id), true, None).await?;
    let task = match inner.live().agreement.revision.era() {
        Era::Legacy => types::Task::read(&result).map(modern),
        _ => Task::read(&result),
    };
    let task = task.map_err(|fault| wrong("tasks/get", fault.reason))?;
    match task.task_id == id {
        true => Ok(task),
        false => Err(wrong("tasks/get", "it is about another task")),
    }
}

/// Answers questions of a task.
pub(super) async fn update(inner: &Arc<Inner>, id: &str, responses: &Members) -> Result<(), Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        task_id: &'a str,
        input_responses: &'a Members,
    }
    let params = Params { task_id: id, input_responses: responses };
    // An answer that was taken is passed over, so that sending it once more does nothing twice.
    send(inner, "tasks/update", &params, true, None).await.map(drop)
}

/// Asks a task to stop.
pub(super) async fn cancel(inner: &Arc<Inner>, id: &str) -> Result<(), Error> {
    send(inner, "tasks/cancel", &TaskParams::new(id), true, None).await.map(drop)
}

/// Waits for the result of a legacy task; what it asks meanwhile is answered by the handlers.
pub(super) async fn result(inner: &Arc<Inner>, id: &str, budget: Duration) -> Result<Box<RawValue>, Error> {
    send(inner, "tasks/result", &TaskParams::new(id), true, Some(budget)).await
}

/// Reads the task that a call has become.
pub(super) fn created(inner: &Arc<Inner>, result: &RawValue) -> Result<Task, Error> {
    let task = match inner.live().agreement.revision.era() {
        Era::Legacy => types::CreateTaskResult::read(result).map(|created| modern(created.task)),
        _ => Task::read(result),
    };
    task.map_err(|fault| wrong("tools/call", fault.reason))
}

/// Tells whether a legacy result is a task.
pub(super) fn is_legacy_task(result: &RawValue) -> bool {
    Object::read(result).is_some_and(|result| result.object("task").is_some() && !result.has("content"))
}

/// Reads a task of revision 2025-11-25 as one of the extension, whose words differ.
fn modern(legacy: types::Task) -> Task {
    let mut task =
        Task::new(legacy.task_id, legacy.status, legacy.created_at, legacy.last_updated_at, legacy.ttl);
    task.status_message = legacy.status_message;
    task.poll_interval_ms = legacy.poll_interval;
    task
}

async fn send(
    inner: &Arc<Inner>,
    method: &'static str,
    params: &impl Serialize,
    is_safe: bool,
    timeout: Option<Duration>,
) -> Result<Box<RawValue>, Error> {
    let params = to_raw_value(params).expect("text and raw JSON serialise");
    let call = Call { method: method.into(), params: Some(params), is_safe, takes_input: false };
    let options = Options { timeout, takes_task: true, ..Options::default() };
    inner.request(&call, options).await
}

pub(super) fn wrong(method: &str, what: &'static str) -> Error {
    ProtocolError::new(Violation::WrongShape(what), method).into()
}

//! `tasks/get`, `tasks/update` and `tasks/cancel` of the extension.

use std::sync::Arc;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::method::{Method, TASKS_EXTENSION};
use diglot_proto::object::Object;
use diglot_proto::types::TaskParams;
use diglot_proto::types::tasks::UpdateTaskParams;
use serde_json::value::RawValue;

use crate::server::answer::ResultBody;
use crate::server::core::Core;
use crate::server::job::{Caller, Job, invalid};
use crate::server::task::desk::{Access, failed};
use crate::server::task::state::Stage;

/// Tells whether a modern caller understands tasks: each request says so for itself.
pub(crate) fn declares(caller: &Caller) -> bool {
    let declared = Object::read(&caller.capabilities).and_then(|declared| declared.object("extensions"));
    declared.is_some_and(|extensions| extensions.member(TASKS_EXTENSION).is_some())
}

/// Makes the error of a caller who does not, and asks for what only a task can give.
pub(crate) fn missing_extension() -> RpcError {
    let data = format!(r#"{{"requiredCapabilities":{{"extensions":{{"{TASKS_EXTENSION}":{{}}}}}}}}"#);
    let what = format!("Missing required client capability: the extension {TASKS_EXTENSION}");
    RpcError::new(codes::MISSING_CLIENT_CAPABILITY, what)
        .with_data(RawValue::from_string(data).expect("it is JSON"))
}

/// Makes the error of a task that is not there, or not the caller's: nobody learns which.
pub(super) fn not_found() -> RpcError {
    invalid("Task not found: it never was, or its time is over")
}

/// Answers a request about a task.
pub(super) async fn answer(core: Arc<Core>, job: Job) -> Result<ResultBody, RpcError> {
    if !declares(&job.caller) {
        return Err(missing_extension());
    }
    let access = Access::Of(job.caller.facts.principal.as_deref());
    let desk = &core.tasks.desk;
    let of_faults = |fault: diglot_proto::types::Fault| invalid(fault.to_string());
    if job.method == Method::UpdateTask {
        let params = UpdateTaskParams::read(job.params()?).map_err(of_faults)?;
        let given = &params.input_responses;
        let changed = desk.change(&params.task_id, access, |state| state.answer(given.iter())).await;
        changed.map_err(|error| failed(&error))?.ok_or_else(not_found)?;
        return Ok(ResultBody::default());
    }
    let id = TaskParams::read(job.params()?).map_err(of_faults)?.task_id;
    if job.method == Method::CancelTask {
        let changed = desk.change(&id, access, |state| state.end(Stage::Cancelled, Some(cancelled()))).await;
        changed.map_err(|error| failed(&error))?.ok_or_else(not_found)?;
        return Ok(ResultBody::default());
    }
    let found = desk.find(&id, access).await.map_err(|error| failed(&error))?;
    let (_, state) = found.ok_or_else(not_found)?;
    Ok(ResultBody::of_object(state.modern(&id, true)))
}

/// Says why a task was cancelled.
pub(super) fn cancelled() -> String {
    "cancelled by the client".to_owned()
}

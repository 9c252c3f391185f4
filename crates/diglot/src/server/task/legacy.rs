//! The experimental tasks of revision 2025-11-25: `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`.
//!
//! A question of a task is a request within `tasks/result`, which waits for the end. It is answered into the record as
//! `tasks/update` would, so that a handler sees no difference.

use std::sync::Arc;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::method::Method;
use diglot_proto::object::Object;
use diglot_proto::types::TaskParams;
use diglot_proto::version::Revision;
use serde_json::value::{RawValue, to_raw_value};
use tokio::task::JoinSet;

use crate::server::answer::ResultBody;
use crate::server::core::Core;
use crate::server::job::{Job, invalid};
use crate::server::task::desk::{Access, failed};
use crate::server::task::modern::{cancelled, not_found};
use crate::server::task::state::{Question, Stage, State};

/// The key of `_meta` that names the task to which a message belongs.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// Returns what a server declares at a revision, where that has tasks.
pub(crate) fn capability(core: &Core, revision: Revision) -> Option<serde_json::Value> {
    (revision == Revision::V2025_11_25 && core.tasks.is_offered())
        .then(|| serde_json::json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } }))
}

/// Answers the call that became a task.
pub(super) fn created(state: &State, id: &str) -> ResultBody {
    ResultBody::write(&serde_json::json!({ "task": state.legacy(id) }))
}

/// Answers a request about tasks.
pub(super) async fn answer(core: Arc<Core>, job: Job) -> Result<ResultBody, RpcError> {
    if job.method == Method::ListTasks {
        return list(&core, &job).await;
    }
    let id = TaskParams::read(job.params()?).map_err(|fault| invalid(fault.to_string()))?.task_id;
    let access = Access::Of(job.caller.facts.principal.as_deref());
    match job.method {
        Method::GetTaskResult => result(&core, &job, &id, access).await,
        Method::CancelTask => {
            let mut ended = None;
            let changed = core.tasks.desk.change(&id, access, |state| {
                ended = state.is_over().then(|| state.status());
                state.end(Stage::Cancelled, Some(cancelled()))
            });
            let state = changed.await.map_err(|error| failed(&error))?.ok_or_else(not_found)?;
            match ended {
                Some(status) => {
                    Err(invalid(format!("Cannot cancel task: already in terminal status '{status}'")))
                }
                None => Ok(ResultBody::write(&state.legacy(&id))),
            }
        }
        _ => {
            let found = core.tasks.desk.find(&id, access).await.map_err(|error| failed(&error))?;
            Ok(ResultBody::write(&found.ok_or_else(not_found)?.1.legacy(&id)))
        }
    }
}

/// Lists the tasks that were created in the session, the newest last; others of the caller are found by their ids.
async fn list(core: &Core, job: &Job) -> Result<ResultBody, RpcError> {
    let params = job.params.as_deref().and_then(Object::read).unwrap_or_default();
    if params.member("cursor").is_some() {
        return Err(invalid("the cursor is unknown; list again from the beginning"));
    }
    let access = Access::Of(job.caller.facts.principal.as_deref());
    let mut tasks = Vec::new();
    for id in job.caller.session.iter().flat_map(|session| session.tasks()) {
        let found = core.tasks.desk.find(&id, access).await.map_err(|error| failed(&error))?;
        match (found, &job.caller.session) {
            (Some((_, state)), _) => tasks.push(state.legacy(&id)),
            (None, Some(session)) => session.forget_task(&id),
            (None, None) => {}
        }
    }
    Ok(ResultBody::write(&serde_json::json!({ "tasks": tasks })))
}

/// Waits for the end of a task, asks what it wants to know meanwhile, and answers as the call would have been.
async fn result(core: &Arc<Core>, job: &Job, id: &str, access: Access<'_>) -> Result<ResultBody, RpcError> {
    let desk = &core.tasks.desk;
    // Dropped with the request, which then asks no more.
    let mut asking = JoinSet::new();
    let mut asked: Vec<String> = Vec::new();
    loop {
        let found = desk.find(id, access).await.map_err(|error| failed(&error))?;
        let (version, state) = found.ok_or_else(not_found)?;
        let questions = match state.stage {
            Stage::Completed { result, .. } => return Ok(related(&result, id)),
            Stage::Failed(failed) => return Err(failed.error()),
            Stage::Cancelled => return Err(RpcError::new(codes::INTERNAL_ERROR, "the task was cancelled")),
            Stage::Open { questions, .. } => questions,
        };
        for (key, question) in questions {
            if !asked.contains(&key) {
                asked.push(key.clone());
                asking.spawn(ask(core.clone(), job.outlet.clone(), id.to_owned(), key, question));
            }
        }
        desk.store.changed(id, version).await.map_err(|error| failed(&error))?;
    }
}

/// Asks one question of a task within a request, and records the answer.
async fn ask(
    core: Arc<Core>,
    outlet: Arc<dyn crate::server::outlet::Outlet>,
    id: String,
    key: String,
    question: Question,
) {
    let Some(method) = Method::parse(&question.method).filter(|method| method.is_input_request()) else {
        return;
    };
    let task = related_task(&id);
    let meta: [(&str, &RawValue); 1] = [(RELATED_TASK, &task)];
    let Ok(params) = diglot_proto::meta::with_meta(question.params.as_deref(), &meta) else { return };
    let desk = &core.tasks.desk;
    let changed = match outlet.ask(method.as_str(), Some(params)).await {
        Ok(answer) => {
            desk.change(&id, Access::Any, |state| state.answer([(&*key, &*answer)].into_iter())).await
        }
        Err(error) => {
            // Nobody will answer, so that the task cannot go on.
            let (message, failed) = (error.message.clone(), Stage::Failed(error.into()));
            desk.change(&id, Access::Any, |state| state.end(failed.clone(), Some(message.clone()))).await
        }
    };
    if let Err(error) = changed {
        tracing::warn!(%error, "the answer to a question of a task is not recorded");
    }
}

fn related_task(id: &str) -> Box<RawValue> {
    to_raw_value(&serde_json::json!({ "taskId": id })).expect("text serialises")
}

/// Adds the task to the `_meta` of its result.
fn related(result: &RawValue, id: &str) -> ResultBody {
    let task = related_task(id);
    let related = diglot_proto::meta::with_meta(Some(result), &[(RELATED_TASK, &*task)]);
    // A result whose `_meta` is no object has no place for it.
    ResultBody::of_object(related.as_deref().unwrap_or(result).get().to_owned())
}

//! Calls a tool as a task: at once, or when its handler says so.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::types::{TaskMetadata, TaskSupport, ToolResult};
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use crate::future::BoxFuture;
use crate::server::answer::{Outcome, ResultBody};
use crate::server::core::Core;
use crate::server::error::Failure;
use crate::server::job::Job;
use crate::server::run;
use crate::server::task::modern::{declares, missing_extension};
use crate::server::task::plan::Plan;
use crate::server::task::state::Stage;
use crate::server::task::table::Created;
use crate::server::task::{drive, legacy};
use crate::server::{Context, ToolError};

/// A call that is to become a task.
pub(crate) struct Wish {
    plan: Plan,
    /// How long the client wants it kept.
    ttl: Option<Duration>,
}

/// Tells whether a call is to become a task: what the tool says, and what the caller understands.
///
/// A modern caller says so by the extension alone; a legacy one asks for it with each call.
///
/// # Errors
///
/// The tool runs as a task only, and the caller knows of none; or the caller asks for one and the tool has none.
pub(crate) fn wants(job: &Job, plan: &Plan, asked: Option<&TaskMetadata>) -> Result<Option<Wish>, RpcError> {
    let (understands, ttl) = match job.caller.era() {
        Era::Legacy => match asked.filter(|_| job.caller.revision == Revision::V2025_11_25) {
            Some(asked) => (true, asked.ttl.map(Duration::from_millis)),
            None => (false, None),
        },
        _ => (declares(&job.caller), None),
    };
    let is_legacy = job.caller.era() == Era::Legacy;
    let not_found = |what: &str| Err(RpcError::new(codes::METHOD_NOT_FOUND, what));
    match (&plan.support, understands) {
        (TaskSupport::Optional | TaskSupport::Required, true) => Ok(Some(Wish { plan: plan.clone(), ttl })),
        (TaskSupport::Required, false) if is_legacy => not_found("the tool runs as a task only"),
        (TaskSupport::Required, false) => Err(missing_extension()),
        (_, true) if is_legacy => not_found("the tool does not run as a task"),
        _ => Ok(None),
    }
}

/// Calls a tool as a task.
pub(crate) async fn call(
    core: Arc<Core>,
    job: Job,
    cx: Context,
    wish: Wish,
    handler: BoxFuture<'static, Result<ToolResult, ToolError>>,
) -> Outcome {
    // In the legacy era the answer is a task whatever happens.
    if !wish.plan.starts_itself || job.caller.era() == Era::Legacy {
        return match create(&core, &job, &wish).await {
            Ok(created) => start(&job, &cx, created, handler),
            Err(error) => Outcome::Error(error),
        };
    }
    let mut handler = handler;
    cx.inner.seat.offer();
    let ended = tokio::select! {
        biased;
        ended = &mut handler => Some(ended),
        () = cx.inner.seat.wanted() => None,
    };
    match ended {
        Some(ended) => run::tool_ended(&core, &job, &cx, ended),
        // Questions that stand open are the answer; the handler will run again.
        None if cx.inner.questions.has_asked() => {
            run::tool_ended(&core, &job, &cx, Err(ToolError::suspended()))
        }
        None => match create(&core, &job, &wish).await {
            Ok(created) => start(&job, &cx, created, handler),
            Err(error) => {
                cx.inner.seat.refuse(error);
                run::tool_ended(&core, &job, &cx, handler.await)
            }
        },
    }
}

async fn create(core: &Core, job: &Job, wish: &Wish) -> Result<Created, RpcError> {
    let created = core.tasks.create(job.caller.facts.principal.as_ref(), &wish.plan, wish.ttl).await?;
    if let Some(session) = &job.caller.session {
        session.created_task(created.live.id());
    }
    Ok(created)
}

/// Lets the handler go on by itself, and answers with the task.
fn start(
    job: &Job,
    cx: &Context,
    created: Created,
    handler: BoxFuture<'static, Result<ToolResult, ToolError>>,
) -> Outcome {
    cx.inner.seat.take(created.live.clone());
    let revision = job.caller.revision;
    let body = match revision.era() {
        Era::Legacy => legacy::created(&created.state, created.live.id()),
        _ => ResultBody::task(created.state.modern(created.live.id(), false)),
    };
    let handler = Box::pin(async move { stage_of(handler.await, revision) });
    tokio::spawn(drive::drive(created, handler));
    Outcome::Result(body)
}

/// Returns what the end of a handler means for its task: only an error of the protocol is a failure.
fn stage_of(ended: Result<ToolResult, ToolError>, revision: Revision) -> Stage {
    let era = revision.era();
    let result = match ended.map_err(ToolError::into_failure) {
        Ok(result) => result,
        Err(Failure::Told(result)) => *result,
        Err(Failure::Protocol(error)) => return Stage::Failed((*error).into()),
        Err(Failure::NoResource(uri)) => return Stage::Failed(run::unknown_resource(&uri, era).into()),
        Err(Failure::Suspended) => {
            let what = "the handler gave up without a question";
            return Stage::Failed(RpcError::new(codes::INTERNAL_ERROR, what).into());
        }
    };
    let is_error = result.is_error;
    let result = run::tool_body(result, revision).object(era);
    match serde_json::from_slice::<Box<RawValue>>(&result) {
        Ok(result) => Stage::Completed { result, is_error },
        Err(_) => {
            let what = "the handler's result is not JSON";
            Stage::Failed(RpcError::new(codes::INTERNAL_ERROR, what).into())
        }
    }
}

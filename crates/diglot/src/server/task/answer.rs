//! Answers a request about tasks, in the way of the caller's era.

use std::sync::Arc;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::version::Era;

use crate::server::answer::ResultBody;
use crate::server::core::Core;
use crate::server::job::Job;
use crate::server::task::{legacy, modern};

/// Answers a request about tasks.
pub(crate) async fn answer(core: Arc<Core>, job: Job) -> Result<ResultBody, RpcError> {
    if !core.tasks.is_offered() {
        let what = format!("Method not found: {}", job.method.as_str());
        return Err(RpcError::new(codes::METHOD_NOT_FOUND, what));
    }
    match job.caller.era() {
        Era::Legacy => legacy::answer(core, job).await,
        _ => modern::answer(core, job).await,
    }
}

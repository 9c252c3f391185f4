//! Runs the handler of a task to its end, or until the record of the task says that there is no more need.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use diglot_proto::jsonrpc::{RpcError, codes};

use crate::future::BoxFuture;
use crate::server::store_error::StoreError;
use crate::server::task::desk::Access;
use crate::server::task::live::Live;
use crate::server::task::state::{Stage, State};
use crate::server::task::table::Created;

/// How long to wait before a store that failed is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// Drives a task. The request that created it is answered already.
pub(super) async fn drive(created: Created, handler: BoxFuture<'static, Stage>) {
    let Created { live, running, state, mut ends } = created;
    let time_is_up = tokio::time::sleep(Duration::from_millis(state.ttl_ms));
    let ended = tokio::select! {
        ended = Guarded(handler) => Some((ended, None)),
        () = until_over(&live) => None,
        () = live.record_words() => None,
        () = time_is_up => {
            if let Err(error) = live.desk.store.remove(live.id()).await {
                tracing::warn!(%error, "a task whose time is over is not removed");
            }
            None
        }
        // Whoever could say so is gone: that is the end too.
        _ = ends.changed() => Some((Stage::Cancelled, Some("the server shuts down"))),
    };
    if let Some((stage, message)) = ended {
        end(&live, stage, message).await;
    }
    drop(running);
}

/// Records the end; a result that cannot be kept is a failure of the task.
async fn end(live: &Live, stage: Stage, message: Option<&str>) {
    let message = match &stage {
        Stage::Failed(failed) => Some(failed.message.clone()),
        _ => message.map(ToOwned::to_owned),
    };
    let Err(error) = record(live, stage, message).await else { return };
    tracing::warn!(%error, "the end of a task is not recorded");
    let what = "Internal error: the result of the task could not be kept";
    let stage = Stage::Failed(RpcError::new(codes::INTERNAL_ERROR, what).into());
    if let Err(error) = record(live, stage, Some(what.to_owned())).await {
        tracing::warn!(%error, "the failure of a task is not recorded");
    }
}

async fn record(live: &Live, stage: Stage, message: Option<String>) -> Result<Option<State>, StoreError> {
    live.desk.change(live.id(), Access::Any, |state| state.end(stage.clone(), message.clone())).await
}

/// Watches the record: hands over answers, and ends when the task was ended, or removed, by someone else.
async fn until_over(live: &Live) {
    let desk = &live.desk;
    loop {
        let looked = match desk.find(live.id(), Access::Any).await {
            Ok(None) => return,
            Ok(Some((_, state))) if state.is_over() => return,
            Ok(Some((version, state))) => {
                if let Stage::Open { answers, .. } = &state.stage {
                    for (key, answer) in answers {
                        live.deliver(key, answer);
                    }
                }
                desk.store.changed(live.id(), version).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = looked {
            tracing::warn!(%error, "the record of a task cannot be looked at");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// A handler whose panic is a failure of its task alone.
struct Guarded(BoxFuture<'static, Stage>);

impl Future for Guarded {
    type Output = Stage;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Stage> {
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        polled.unwrap_or_else(|_| {
            let what = "Internal error: the handler panicked";
            Poll::Ready(Stage::Failed(RpcError::new(codes::INTERNAL_ERROR, what).into()))
        })
    }
}

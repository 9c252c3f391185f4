//! Requests that stand alone: all modern ones, and legacy ones where there are no sessions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use diglot_proto::jsonrpc::{Id, RpcError, codes};
use diglot_proto::method::Method;
use diglot_proto::version::Era;
use http::StatusCode;

use crate::http::serve::answering::{Answer, Answering, Handler};
use crate::http::serve::endpoint::{Endpoint, Letter};
use crate::http::serve::mailbox::Mailbox;
use crate::http::serve::reply::{self, Reply};
use crate::server::answer::{self, Outcome};
use crate::server::core::Core;
use crate::server::intake::Work;
use crate::server::job::Job;
use crate::server::run::run;

impl Endpoint {
    /// Answers a modern request.
    pub(super) async fn modern(&self, letter: &Letter, work: Work) -> Reply {
        if let Some(refusal) = letter.refusal(&work.id) {
            return refusal;
        }
        if work.method == Method::Listen && !letter.accept.event_stream {
            let what = "subscriptions/listen is answered with text/event-stream";
            return reply::not_acceptable(Some(&work.id), what);
        }
        self.alone(letter, work).await
    }

    /// Answers a request with no more than itself.
    pub(super) async fn alone(&self, letter: &Letter, work: Work) -> Reply {
        let mailbox = Arc::new(Mailbox::new(letter.accept.event_stream));
        let handler = handler(self.core.clone(), work.through(mailbox.clone()));
        Answering::new(handler, mailbox, letter.accept, self.settings.silence).await
    }
}

/// Makes what runs a job and writes its answer.
pub(super) fn handler(core: Arc<Core>, job: Job) -> Handler {
    Box::pin(async move {
        let (id, era) = (job.id.clone(), job.caller.era());
        let outcome = unharmed(core.clone(), job).await;
        Some(written(&core, &id, &outcome, era))
    })
}

/// Writes an outcome in the spelling of an era.
pub(super) fn written(core: &Core, id: &Id, outcome: &Outcome, era: Era) -> Answer {
    let body = answer::write(id, outcome, era, core.settings.shown_identity());
    let code = match outcome {
        Outcome::Error(error) if era == Era::Modern => error.code,
        _ => return Answer { status: StatusCode::OK, body },
    };
    let status = match code {
        codes::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        codes::HEADER_MISMATCH | codes::MISSING_CLIENT_CAPABILITY | codes::UNSUPPORTED_PROTOCOL_VERSION => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    };
    Answer { status, body }
}

/// Runs a job to its outcome; a handler that panics fails its own request and nothing else.
pub(super) async fn unharmed(core: Arc<Core>, job: Job) -> Outcome {
    let name = job.method.as_str();
    let mut running = pin!(run(core, job));
    std::future::poll_fn(|context| {
        // What the handler leaves behind half done is dropped with it.
        catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))).unwrap_or_else(|_| {
            tracing::error!(method = name, "a handler panicked");
            Poll::Ready(Outcome::Error(RpcError::new(
                codes::INTERNAL_ERROR,
                "Internal error: the handler panicked",
            )))
        })
    })
    .await
}

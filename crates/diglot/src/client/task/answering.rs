//! What a task asks, answered by the handlers: all of it at the same time, and each of it once.

use std::collections::HashSet;

use diglot_proto::jsonrpc::RpcError;
use diglot_proto::types::tasks::Task;
use diglot_proto::types::{InputRequest, Members};
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::client::input::Handlers;
use crate::client::task::wire::wrong;
use crate::error::{Error, ProtocolError, Violation};

/// The questions of one task.
pub(super) struct Answering {
    handlers: Handlers,
    most: usize,
    /// The keys that were seen, answered or not.
    seen: HashSet<String>,
    /// Aborted when it is dropped.
    under_way: JoinSet<(String, Result<Box<RawValue>, RpcError>)>,
}

impl Answering {
    /// Begins; `most` is how many questions one task may ask.
    pub(super) fn new(handlers: Handlers, most: usize) -> Self {
        Self { handlers, most, seen: HashSet::new(), under_way: JoinSet::new() }
    }

    /// Hands the questions that are new to the handlers.
    pub(super) fn take(&mut self, task: &Task) -> Result<(), Error> {
        for (key, request) in task.input_requests.iter().flat_map(|requests| requests.iter()) {
            if self.seen.contains(key) {
                continue;
            }
            if self.seen.len() >= self.most {
                return Err(
                    ProtocolError::new(Violation::OverLimit("task_inputs", self.most), "tasks/get").into()
                );
            }
            self.seen.insert(key.to_owned());
            let (key, request) = (key.to_owned(), InputRequest::clone(request));
            let handlers = self.handlers.clone();
            self.under_way.spawn(async move { (key, handlers.answer(request).await) });
        }
        Ok(())
    }

    /// Waits for an answer, and returns it with all that are there as well; for ever where nothing is asked.
    pub(super) async fn next(&mut self) -> Result<Members, Error> {
        let Some(first) = self.under_way.join_next().await else { return std::future::pending().await };
        let mut answers = Members::new();
        let mut next = Some(first);
        while let Some(done) = next {
            // A handler that panicked brings its caller down with it, as if it had been called in place.
            let (key, answer) = done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            let answer = answer.map_err(|error| {
                tracing::warn!(%key, %error, "a task asks for input that this client does not offer");
                wrong("tasks/get", "it asks for input that this client does not offer")
            })?;
            answers.insert(key, answer);
            next = self.under_way.try_join_next();
        }
        Ok(answers)
    }
}

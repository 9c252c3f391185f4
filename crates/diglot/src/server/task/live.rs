//! A task that runs in this process, as its handler's context sees it: what it asks, and what it says of itself.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{RpcError, codes};
use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};

use crate::server::ToolError;
use crate::server::task::desk::{Access, Desk, failed};
use crate::server::task::state::Question;

/// A task that runs here.
pub(crate) struct Live {
    id: String,
    pub(super) desk: Arc<Desk>,
    /// Who waits for answers, by the keys of the questions.
    waiting: Mutex<HashMap<String, oneshot::Sender<Box<RawValue>>>>,
    /// The keys that were used: none means two questions.
    used: Mutex<HashSet<String>>,
    said: watch::Sender<Option<String>>,
}

impl Live {
    pub(super) fn new(id: String, desk: Arc<Desk>) -> Self {
        Self { id, desk, waiting: Mutex::default(), used: Mutex::default(), said: watch::Sender::new(None) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Says something about how the task stands. What is not recorded yet gives way to it.
    pub(crate) fn say(&self, message: impl Into<String>) {
        self.said.send_replace(Some(message.into()));
    }

    /// Takes a key of the name's own: the name, or the name and a number where it was used.
    fn key(&self, name: &str) -> Result<String, ToolError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.desk.limits.questions;
        if used.len() >= most {
            let what = format!("the limit of {most} questions of a task is reached (questions)");
            return Err(ToolError::protocol(RpcError::new(codes::INTERNAL_ERROR, what)));
        }
        let mut key = name.to_owned();
        let mut number = 1_usize;
        while used.contains(&key) {
            number += 1;
            key = format!("{name}-{number}");
        }
        used.insert(key.clone());
        Ok(key)
    }

    /// Asks a question and waits for the answer; what the request brought along is taken where it has one.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        name: &str,
        method: &str,
        params: Option<Box<RawValue>>,
        known: Option<&RawValue>,
    ) -> Result<Box<RawValue>, ToolError> {
        let key = self.key(name)?;
        if let Some(known) = known.filter(|_| key == name) {
            return Ok(known.to_owned());
        }
        let (sender, answer) = oneshot::channel();
        self.waiting().insert(key.clone(), sender);
        let asked = Asked { live: self.clone(), key };
        let question = Question { method: method.to_owned(), params };
        let waits_for = |key: &str| self.waiting().contains_key(key);
        let changed = self
            .desk
            .change(&self.id, Access::Any, |state| state.ask(&asked.key, question.clone(), waits_for))
            .await;
        if let Err(error) = changed {
            return Err(ToolError::protocol(failed(&error)));
        }
        match answer.await {
            Ok(answer) => Ok(answer),
            // Whoever drives the task is gone, and with it this handler.
            Err(_) => Err(ToolError::suspended()),
        }
    }

    /// Hands an answer to whoever waits for it.
    pub(super) fn deliver(&self, key: &str, answer: &RawValue) {
        let waiting = self.waiting().remove(key);
        if let Some(waiting) = waiting {
            // Who asked may be gone by now.
            let _ = waiting.send(answer.to_owned());
        }
    }

    /// Records what is said, for as long as the task is driven.
    pub(super) async fn record_words(&self) {
        let mut said = self.said.subscribe();
        // What was said before counts as well.
        said.mark_changed();
        // The sender is here, so that it cannot be gone.
        while said.changed().await.is_ok() {
            let Some(message) = said.borrow_and_update().clone() else { continue };
            let recorded = self.desk.change(&self.id, Access::Any, |state| state.say(message.clone())).await;
            if let Err(error) = recorded {
                tracing::warn!(%error, "what a task says of itself is not recorded");
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Box<RawValue>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is taken back when nobody waits for its answer any more.
struct Asked {
    live: Arc<Live>,
    key: String,
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.live.waiting().remove(&self.key).is_none() {
            return;
        }
        let (live, key) = (self.live.clone(), std::mem::take(&mut self.key));
        // Without a runtime the task is over too.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let taken_back = live.desk.change(&live.id, Access::Any, |state| state.withdraw(&key)).await;
                if let Err(error) = taken_back {
                    tracing::warn!(%error, "a question of a task is not taken back");
                }
            });
        }
    }
}

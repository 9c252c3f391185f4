//! What is kept of one legacy client: over a pipe for its whole life, over HTTP for a session.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{Id, Response, RpcError, codes};
use diglot_proto::types::LoggingLevel;
use diglot_proto::version::Revision;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// What a client answers to a request of ours.
type Answer = Result<Box<RawValue>, RpcError>;

/// Requests of ours by their ids, each with whoever waits for its answer.
type Asked = HashMap<i64, oneshot::Sender<Answer>>;

/// A legacy client after `initialize`.
#[derive(Debug)]
pub(crate) struct Session {
    /// The revision that was agreed on.
    pub(crate) revision: Revision,
    /// The client's name and version, as it gave them.
    pub(crate) client: Option<Box<RawValue>>,
    /// The client's capabilities, as it gave them.
    pub(crate) capabilities: Box<RawValue>,
    /// The least severe level that the client wants logged; past the last one it wants none.
    pub(super) level: AtomicU8,
    /// Requests of ours that await the client's answers; empty for most sessions most of the time.
    asked: Mutex<Asked>,
    next_id: AtomicI64,
    subscriptions: Mutex<BTreeSet<String>>,
    /// The ids of the tasks that the client created, the newest last.
    tasks: Mutex<VecDeque<String>>,
}

/// The most tasks of one session that are listed; past it the oldest is only found by its id.
const LISTED_TASKS: usize = 1_000;

impl Session {
    pub(crate) fn new(
        revision: Revision,
        client: Option<Box<RawValue>>,
        capabilities: Box<RawValue>,
    ) -> Self {
        Self {
            revision,
            client,
            capabilities,
            // A legacy server decides by itself what to log until the client says: from info on.
            level: AtomicU8::new(LoggingLevel::Info.rank().unwrap_or_default()),
            asked: Mutex::default(),
            next_id: AtomicI64::new(1),
            subscriptions: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    pub(crate) fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    pub(crate) fn set_level(&self, level: &LoggingLevel) {
        self.level.store(level.rank().unwrap_or_default(), Ordering::Relaxed);
    }

    /// Notes a request to the client; its answer comes through the receiver.
    pub(crate) fn ask(&self) -> (Id, oneshot::Receiver<Answer>) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.asked().insert(id, sender);
        (Id::Number(id), receiver)
    }

    /// Takes the client's answer to a request of ours; one that answers nothing is dropped.
    pub(crate) fn answered(&self, response: Response<'_>) {
        let asked = response.id.as_number().and_then(|id| self.asked().remove(&id));
        if let Some(sender) = asked {
            // Who asked may be gone by now.
            let _ = sender.send(response.outcome.map(|result| result.into_owned()));
        }
    }

    /// Forgets a request to the client that nobody waits for any more; tells whether it was still open.
    pub(crate) fn forget(&self, id: &Id) -> bool {
        matches!(id, Id::Number(id) if self.asked().remove(id).is_some())
    }

    /// Tells whether the client has yet to answer a request.
    pub(crate) fn is_asking(&self) -> bool {
        !self.asked().is_empty()
    }

    /// Goes on counting where another session of the same connection ended, since no id may mean two requests.
    pub(crate) fn follow(&self, former: &Self) {
        self.next_id.store(former.next_id.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Forgets all requests to the client, which then fail.
    pub(crate) fn abandon(&self) {
        for (_, sender) in self.asked().drain() {
            let _ = sender.send(Err(RpcError::new(codes::INTERNAL_ERROR, "the client is gone")));
        }
    }

    pub(crate) fn subscribe(&self, uri: String) {
        self.subscriptions().insert(uri);
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.subscriptions().remove(uri);
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        self.subscriptions().contains(uri)
    }

    /// Returns how many resources the client is subscribed to.
    pub(crate) fn subscribed(&self) -> usize {
        self.subscriptions().len()
    }

    /// Notes a task that the client created.
    pub(crate) fn created_task(&self, id: &str) {
        let mut tasks = self.task_ids();
        if tasks.len() >= LISTED_TASKS {
            tasks.pop_front();
        }
        tasks.push_back(id.to_owned());
    }

    /// Returns the tasks that the client created.
    pub(crate) fn tasks(&self) -> Vec<String> {
        self.task_ids().iter().cloned().collect()
    }

    /// Forgets a task that is no more.
    pub(crate) fn forget_task(&self, id: &str) {
        self.task_ids().retain(|known| known != id);
    }

    fn task_ids(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn subscriptions(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

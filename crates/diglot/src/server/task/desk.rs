//! What all tasks of a server share: the store, the limits, and the count of what runs in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{RpcError, codes};
use tokio::sync::watch;

use crate::server::store_error::StoreError;
use crate::server::task::limits::TaskLimits;
use crate::server::task::state::State;
use crate::server::task::store::{TaskRecord, TaskStore};

/// How often a change is tried again after another one came first.
const MOST_TRIES: usize = 64;

/// What the tasks share.
pub(super) struct Desk {
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) limits: TaskLimits,
    running: Mutex<HashMap<String, Option<Arc<str>>>>,
    count: watch::Sender<usize>,
}

/// Whose tasks may be seen.
#[derive(Clone, Copy)]
pub(super) enum Access<'a> {
    /// Any, for the process that runs them.
    Any,
    /// Those of one caller.
    Of(Option<&'a str>),
}

/// A task that counts as running for as long as this lives.
pub(super) struct Running {
    desk: Arc<Desk>,
    id: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.desk.running();
        running.remove(&self.id);
        self.desk.count.send_replace(running.len());
    }
}

impl Desk {
    pub(super) fn new(limits: TaskLimits, store: Arc<dyn TaskStore>) -> Self {
        Self { store, limits, running: Mutex::default(), count: watch::Sender::new(0) }
    }

    /// Waits until nothing runs in this process.
    pub(super) async fn idle(&self) {
        // The sender is here, so that it cannot be gone.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Counts a task as running.
    pub(super) fn begin(self: &Arc<Self>, id: &str, owner: Option<&Arc<str>>) -> Result<Running, RpcError> {
        let mut running = self.running();
        if running.len() >= self.limits.running {
            return Err(reached("running", self.limits.running));
        }
        if running.values().filter(|known| known.as_ref() == owner).count() >= self.limits.running_of_one {
            return Err(reached("running_of_one", self.limits.running_of_one));
        }
        running.insert(id.to_owned(), owner.cloned());
        self.count.send_replace(running.len());
        Ok(Running { desk: self.clone(), id: id.to_owned() })
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Option<Arc<str>>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds how a task stands, with its version.
    pub(super) async fn find(
        &self,
        id: &str,
        access: Access<'_>,
    ) -> Result<Option<(u64, State)>, StoreError> {
        Ok(self.load(id, access).await?.map(|(version, _, state)| (version, state)))
    }

    async fn load(
        &self,
        id: &str,
        access: Access<'_>,
    ) -> Result<Option<(u64, Option<String>, State)>, StoreError> {
        if id.len() > LONGEST_ID {
            return Ok(None);
        }
        let Some((version, record)) = self.store.load(id).await? else { return Ok(None) };
        let may_see = match access {
            Access::Any => true,
            Access::Of(owner) => record.owner.as_deref() == owner,
        };
        if !may_see {
            return Ok(None);
        }
        let state = State::read(&record.state).ok_or("the record of a task cannot be read")?;
        Ok(Some((version, record.owner, state)))
    }

    /// Changes how a task stands, and returns how it stands then; the function tells whether it changed anything.
    pub(super) async fn change(
        &self,
        id: &str,
        access: Access<'_>,
        mut act: impl FnMut(&mut State) -> bool,
    ) -> Result<Option<State>, StoreError> {
        for _ in 0..MOST_TRIES {
            let Some((version, owner, mut state)) = self.load(id, access).await? else { return Ok(None) };
            if !act(&mut state) {
                return Ok(Some(state));
            }
            state.updated = super::time::now().max(state.updated);
            let record = TaskRecord::new(owner, state.write(), state.is_over());
            if self.store.replace(id, version, record).await? {
                return Ok(Some(state));
            }
        }
        Err(format!("a task changed {MOST_TRIES} times while it was to be changed").into())
    }
}

/// The longest id that is looked for, in bytes; ours are shorter.
const LONGEST_ID: usize = 256;

pub(super) fn reached(name: &str, limit: usize) -> RpcError {
    RpcError::new(
        codes::INTERNAL_ERROR,
        format!("the limit of {limit} tasks is reached ({name}); try again later"),
    )
}

/// Makes the error of a store that fails; what went wrong there is not for the client.
pub(super) fn failed(error: &StoreError) -> RpcError {
    tracing::warn!(%error, "the store of tasks fails");
    RpcError::new(codes::INTERNAL_ERROR, "Internal error: the store of tasks fails")
}

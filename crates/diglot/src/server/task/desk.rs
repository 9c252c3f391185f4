//! All tasks of a server: the store, the limits, and what runs in this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diglot_proto::jsonrpc::{RpcError, codes};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::watch;

use crate::server::store_error::StoreError;
use crate::server::task::limits::{TaskLimits, millis};
use crate::server::task::live::Live;
use crate::server::task::memory::Memory;
use crate::server::task::plan::Plan;
use crate::server::task::state::State;
use crate::server::task::store::{TaskRecord, TaskStore};

/// How long the end of the server waits for its tasks to be recorded as cancelled.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How often a change is tried again after another one came first.
const MOST_TRIES: usize = 64;

/// The tasks of a server. When the last reference is dropped, those that run in this process are cut off.
pub(crate) struct Tasks {
    pub(super) desk: Arc<Desk>,
    /// Raised to end what runs.
    ends: watch::Sender<u64>,
    is_offered: AtomicBool,
}

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

/// A task that was created and is not driven yet.
pub(super) struct Created {
    pub(super) live: Arc<Live>,
    pub(super) running: Running,
    pub(super) state: State,
    pub(super) ends: watch::Receiver<u64>,
}

impl Tasks {
    /// Begins without any task; without a store they are kept in memory.
    pub(crate) fn new(limits: TaskLimits, store: Option<Arc<dyn TaskStore>>) -> Self {
        let store = store.unwrap_or_else(|| Arc::new(Memory::new(limits.kept, limits.kept_bytes)));
        let desk = Desk { store, limits, running: Mutex::default(), count: watch::Sender::new(0) };
        Self { desk: Arc::new(desk), ends: watch::Sender::new(0), is_offered: AtomicBool::new(false) }
    }

    /// Begins anew with other limits.
    pub(crate) fn with_limits(&self, limits: TaskLimits, store: Option<Arc<dyn TaskStore>>) -> Self {
        let tasks = Self::new(limits, store);
        tasks.is_offered.store(self.is_offered(), Ordering::Relaxed);
        tasks
    }

    pub(crate) fn limits(&self) -> &TaskLimits {
        &self.desk.limits
    }

    /// Notes that a tool is offered whose calls may become tasks: from then on the server has tasks.
    pub(crate) fn offer(&self) {
        self.is_offered.store(true, Ordering::Relaxed);
    }

    /// Tells whether the server has tasks.
    pub(crate) fn is_offered(&self) -> bool {
        self.is_offered.load(Ordering::Relaxed)
    }

    /// Cancels what runs in this process.
    pub(crate) fn end(&self) {
        self.ends.send_modify(|ends| *ends += 1);
    }

    /// Cancels what runs in this process, and waits until that is recorded, or no longer than is decent.
    pub(crate) async fn end_and_wait(&self) {
        self.end();
        let mut count = self.desk.count.subscribe();
        let _ = tokio::time::timeout(LAST_WORDS, count.wait_for(|count| *count == 0)).await;
    }

    /// Creates a task that is known to every process when this returns.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the store fails.
    pub(super) async fn create(
        &self,
        owner: Option<&Arc<str>>,
        plan: &Plan,
        ttl: Option<Duration>,
    ) -> Result<Created, RpcError> {
        let desk = &self.desk;
        let id = new_id();
        let running = desk.begin(&id, owner)?;
        let ttl = ttl.map(|ttl| ttl.min(desk.limits.longest_ttl)).or(plan.ttl).unwrap_or(desk.limits.ttl);
        let interval = plan.poll_interval.unwrap_or(desk.limits.poll_interval);
        let state = State::new(millis(ttl), millis(interval));
        let record = TaskRecord::new(owner.map(|owner| owner.to_string()), state.write(), false);
        match desk.store.create(&id, record, Duration::from_millis(state.ttl_ms)).await {
            Ok(true) => {}
            Ok(false) => return Err(reached("kept", desk.limits.kept)),
            Err(error) => return Err(failed(&error)),
        }
        let live = Arc::new(Live::new(id, desk.clone()));
        Ok(Created { live, running, state, ends: self.ends.subscribe() })
    }
}

impl Desk {
    fn begin(self: &Arc<Self>, id: &str, owner: Option<&Arc<str>>) -> Result<Running, RpcError> {
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

/// Draws an id that nobody can guess: 128 bits.
fn new_id() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system has randomness");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn reached(name: &str, limit: usize) -> RpcError {
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

//! All tasks of a server: making new ones, and ending those that run in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diglot_proto::jsonrpc::RpcError;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::watch;

use crate::server::task::desk::{Desk, Running, failed, reached};
use crate::server::task::limits::{TaskLimits, millis};
use crate::server::task::live::Live;
use crate::server::task::memory::Memory;
use crate::server::task::plan::Plan;
use crate::server::task::state::State;
use crate::server::task::store::{TaskRecord, TaskStore};

/// How long the end of the server waits for its tasks to be recorded as cancelled.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The tasks of a server. When the last reference is dropped, those that run in this process are cut off.
pub(crate) struct Tasks {
    pub(super) desk: Arc<Desk>,
    /// Raised to end what runs.
    ends: watch::Sender<u64>,
    is_offered: AtomicBool,
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
        Self {
            desk: Arc::new(Desk::new(limits, store)),
            ends: watch::Sender::new(0),
            is_offered: AtomicBool::new(false),
        }
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
        // What is not recorded by then is cut off.
        let _ = tokio::time::timeout(LAST_WORDS, self.desk.idle()).await;
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

/// Draws an id that nobody can guess: 128 bits.
fn new_id() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system has randomness");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

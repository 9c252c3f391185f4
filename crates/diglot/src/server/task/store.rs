//! Where tasks are kept: a trait over records, so that they can live outside of this process.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::future::BoxFuture;
use crate::server::store_error::StoreError;

/// How often a store that cannot tell of changes is asked for them.
const LOOK: Duration = Duration::from_millis(500);

/// Keeps the records of tasks.
///
/// Every record has a version, which a change raises; a change names the version that it is made of, so that two
/// processes never undo each other's. A task runs in the process that created it; any process that shares the store
/// may tell how it stands, take answers for it, and cancel it.
///
/// A task's id is a secret as good as a password: a store may keep a hash of it instead.
pub trait TaskStore: Send + Sync + 'static {
    /// Keeps the record of a new task, at version 0, for so long, and tells whether there was room for it.
    ///
    /// It is there for every process before this returns.
    fn create<'a>(
        &'a self,
        id: &'a str,
        record: TaskRecord,
        keep: Duration,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Finds a record, with its version.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<(u64, TaskRecord)>, StoreError>>;

    /// Puts a record in the place of a version, at the next one; tells whether there was still that version.
    ///
    /// How long it is kept stays as it was.
    fn replace<'a>(
        &'a self,
        id: &'a str,
        version: u64,
        record: TaskRecord,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Removes a record, if there is one.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Waits until a record is gone, or has another version than this.
    ///
    /// It may return too early. Unless a store does better, it looks twice a second.
    fn changed<'a>(&'a self, id: &'a str, version: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            loop {
                match self.load(id).await? {
                    Some((now, _)) if now == version => tokio::time::sleep(LOOK).await,
                    _ => return Ok(()),
                }
            }
        })
    }
}

/// What is kept of a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskRecord {
    /// To whom the task belongs, where something before the server has found out.
    pub owner: Option<String>,
    /// A JSON object, whose members are an affair of this crate.
    pub state: Box<RawValue>,
    /// Whether the task has ended; a store that is full does without such a task first.
    pub is_over: bool,
}

impl TaskRecord {
    /// Makes a record of its parts, as a store reads them back.
    pub fn new(owner: Option<String>, state: Box<RawValue>, is_over: bool) -> Self {
        Self { owner, state, is_over }
    }

    /// Returns how many bytes it takes, or nearly.
    pub(super) fn size(&self) -> usize {
        /// What an entry takes beside its texts.
        const ENTRY: usize = 256;
        ENTRY + self.state.get().len() + self.owner.as_ref().map_or(0, String::len)
    }
}

//! Remembered eras: what earlier negotiations found, so that the next one can skip the probe (rule 13).

mod file;
mod record;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use diglot_proto::lifecycle::{Agreement, Remembered};
use diglot_proto::types::Discovery;
use diglot_proto::version::Era;

use crate::transport::BoxFuture;
use file::FileMemory;
use record::Records;
pub use record::{EraMemory, EraRecord, EraVerdict};

/// The largest discovery that is remembered, in bytes; a server with a larger one is probed each time.
const MOST_DISCOVERY_BYTES: usize = 64 * 1024;

/// A store of remembered eras, with the age past which a legacy verdict is tried again.
///
/// Clones share the store. A verdict that rests on silence is never stored.
#[derive(Clone)]
pub struct EraStore {
    memory: Arc<dyn EraMemory>,
    age_limit: Duration,
}

impl EraStore {
    /// Remembers for as long as the store, or a clone of it, lives.
    pub fn memory() -> Self {
        Self::new(ProcessMemory::default())
    }

    /// Remembers in a file, which may be shared by processes that run at the same time.
    ///
    /// The file is created when there is something to remember. One that cannot be read counts as empty.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(FileMemory::new(path.into()))
    }

    /// Remembers in a place of the host's own.
    pub fn new(memory: impl EraMemory) -> Self {
        Self { memory: Arc::new(memory), age_limit: Duration::from_secs(24 * 60 * 60) }
    }

    /// Sets the age past which a legacy verdict is not trusted any more; 24 hours unless set.
    #[must_use]
    pub fn age_limit(mut self, age: Duration) -> Self {
        self.age_limit = age;
        self
    }

    pub(super) async fn recall(&self, key: &str) -> Option<Remembered> {
        let record = self.memory.recall(key).await?;
        match record.verdict {
            EraVerdict::Modern { revision, discovery } if revision.era() == Era::Modern => {
                let discovery = Box::new(Discovery::read(&discovery).ok()?);
                Some(Remembered::Modern { revision, discovery })
            }
            EraVerdict::Modern { .. } => None,
            // A clock that was set back makes a record look as if from the future: then it is too old to trust.
            EraVerdict::Legacy => {
                let age = SystemTime::now().duration_since(record.since).ok()?;
                (age <= self.age_limit).then_some(Remembered::Legacy)
            }
        }
    }

    pub(super) async fn remember(&self, key: &str, agreement: &Agreement) {
        if !agreement.memorable {
            return;
        }
        let verdict = match agreement.era() {
            Era::Modern if agreement.raw.get().len() <= MOST_DISCOVERY_BYTES => {
                EraVerdict::Modern { revision: agreement.revision, discovery: agreement.raw.clone() }
            }
            Era::Legacy => EraVerdict::Legacy,
            _ => return,
        };
        self.memory.remember(key, EraRecord::new(verdict, SystemTime::now())).await;
    }

    pub(super) async fn forget(&self, key: &str) {
        self.memory.forget(key).await;
    }
}

impl std::fmt::Debug for EraStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EraStore").field("age_limit", &self.age_limit).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct ProcessMemory(Mutex<Records>);

impl ProcessMemory {
    fn with<T>(&self, act: impl FnOnce(&mut Records) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EraMemory for ProcessMemory {
    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<EraRecord>> {
        Box::pin(async move { self.with(|records| records.0.get(key).cloned()) })
    }

    fn remember<'a>(&'a self, key: &'a str, record: EraRecord) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.with(|records| records.insert(key, record)) })
    }

    fn forget<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.with(|records| records.0.remove(key));
        })
    }
}

//! The tasks of one process, in its memory: bounded in number and bytes, and gone when their time is over.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::future::BoxFuture;
use crate::server::store_error::StoreError;
use crate::server::task::store::{TaskRecord, TaskStore};

/// A store in memory.
pub(super) struct Memory {
    most: usize,
    most_bytes: usize,
    tasks: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    by_id: HashMap<String, Entry>,
    /// The ids in the order of their creation.
    ages: BTreeMap<u64, String>,
    /// What ends when.
    ends: BTreeMap<(Instant, u64), String>,
    next_age: u64,
    bytes: usize,
}

struct Entry {
    age: u64,
    end: Instant,
    version: u64,
    record: TaskRecord,
    changed: Arc<Notify>,
}

impl Memory {
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, tasks: Mutex::default() }
    }

    /// Returns the tasks, without those whose time is over.
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.sweep();
        tasks
    }

    fn create_now(&self, id: &str, record: TaskRecord, keep: Duration) -> bool {
        let mut tasks = self.tasks();
        let size = record.size();
        if tasks.by_id.contains_key(id) || !tasks.make_room(1, size, self.most, self.most_bytes, None) {
            return false;
        }
        let age = tasks.next_age;
        tasks.next_age += 1;
        let now = Instant::now();
        // A time that no clock holds is as good as this.
        let end = now.checked_add(keep).unwrap_or(now + Duration::from_secs(60 * 60 * 24 * 365));
        tasks.bytes += size;
        tasks.ages.insert(age, id.to_owned());
        tasks.ends.insert((end, age), id.to_owned());
        tasks.by_id.insert(id.to_owned(), Entry { age, end, version: 0, record, changed: Arc::default() });
        true
    }

    fn replace_now(&self, id: &str, version: u64, record: TaskRecord) -> Result<bool, StoreError> {
        let mut tasks = self.tasks();
        let Some(entry) = tasks.by_id.get(id).filter(|entry| entry.version == version) else {
            return Ok(false);
        };
        let (size, former) = (record.size(), entry.record.size());
        let growth = size.saturating_sub(former);
        if !tasks.make_room(0, growth, self.most, self.most_bytes, Some(id)) {
            return Err(
                format!("the limit of {} bytes of tasks is reached (kept_bytes)", self.most_bytes).into()
            );
        }
        tasks.bytes = (tasks.bytes + size).saturating_sub(former);
        if let Some(entry) = tasks.by_id.get_mut(id) {
            entry.record = record;
            entry.version += 1;
            entry.changed.notify_waiters();
        }
        Ok(true)
    }

    async fn wait(&self, id: &str, version: u64) {
        let (changed, end) = {
            let tasks = self.tasks();
            let Some(entry) = tasks.by_id.get(id) else { return };
            (entry.changed.clone(), entry.end)
        };
        let notified = changed.notified();
        // Begun before this look, it misses nothing that happens after.
        let is_still = self.tasks().by_id.get(id).is_some_and(|entry| entry.version == version);
        if is_still {
            let _ = tokio::time::timeout_at(end, notified).await;
        }
    }
}

impl Tasks {
    fn sweep(&mut self) {
        let now = Instant::now();
        while let Some(first) = self.ends.first_entry() {
            if first.key().0 > now {
                break;
            }
            let id = first.get().clone();
            self.remove(&id);
        }
    }

    fn remove(&mut self, id: &str) {
        if let Some(entry) = self.by_id.remove(id) {
            self.ages.remove(&entry.age);
            self.ends.remove(&(entry.end, entry.age));
            self.bytes = self.bytes.saturating_sub(entry.record.size());
            entry.changed.notify_waiters();
        }
    }

    /// Makes room by doing without the oldest tasks that have ended, but for one; tells whether there is enough.
    fn make_room(
        &mut self,
        more: usize,
        bytes: usize,
        most: usize,
        most_bytes: usize,
        spared: Option<&str>,
    ) -> bool {
        let fits = |tasks: &Self| tasks.by_id.len() + more <= most && tasks.bytes + bytes <= most_bytes;
        if fits(self) {
            return true;
        }
        let over: Vec<String> = self
            .ages
            .values()
            .filter(|id| Some(id.as_str()) != spared)
            .filter(|id| self.by_id.get(*id).is_some_and(|entry| entry.record.is_over))
            .cloned()
            .collect();
        over.iter().any(|id| {
            self.remove(id);
            fits(self)
        })
    }
}

impl TaskStore for Memory {
    fn create<'a>(
        &'a self,
        id: &'a str,
        record: TaskRecord,
        keep: Duration,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(std::future::ready(Ok(self.create_now(id, record, keep))))
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<(u64, TaskRecord)>, StoreError>> {
        let found = self.tasks().by_id.get(id).map(|entry| (entry.version, entry.record.clone()));
        Box::pin(std::future::ready(Ok(found)))
    }

    fn replace<'a>(
        &'a self,
        id: &'a str,
        version: u64,
        record: TaskRecord,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(std::future::ready(self.replace_now(id, version, record)))
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        self.tasks().remove(id);
        Box::pin(std::future::ready(Ok(())))
    }

    fn changed<'a>(&'a self, id: &'a str, version: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.wait(id, version).await;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn record(length: usize, is_over: bool) -> TaskRecord {
        let state = format!("\"{}\"", "x".repeat(length));
        TaskRecord::new(None, RawValue::from_string(state).unwrap(), is_over)
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn the_oldest_that_has_ended_gives_way_and_a_running_one_never() {
        let store = Memory::new(2, 1 << 20);
        assert!(store.create("runs", record(1, false), HOUR).await.unwrap());
        assert!(store.create("over", record(1, true), HOUR).await.unwrap());
        assert!(store.create("new", record(1, false), HOUR).await.unwrap());
        assert!(store.load("over").await.unwrap().is_none());
        assert!(!store.create("more", record(1, false), HOUR).await.unwrap());
        assert!(store.load("runs").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn bytes_are_counted_for_every_version() {
        let store = Memory::new(100, 4_000);
        assert!(store.create("a", record(1_000, false), HOUR).await.unwrap());
        assert!(!store.create("b", record(3_000, false), HOUR).await.unwrap());
        assert!(store.replace("a", 0, record(3_000, false)).await.unwrap());
        assert!(store.replace("a", 1, record(5_000, true)).await.is_err());
        assert!(store.replace("a", 1, record(1, true)).await.unwrap());
        assert!(store.create("b", record(3_000, false), HOUR).await.unwrap());
        store.remove("b").await.unwrap();
        assert!(store.create("c", record(3_000, false), HOUR).await.unwrap());
    }

    #[tokio::test]
    async fn a_change_names_the_version_that_it_is_made_of() {
        let store = Memory::new(2, 1 << 20);
        assert!(store.create("a", record(1, false), HOUR).await.unwrap());
        assert!(!store.create("a", record(1, false), HOUR).await.unwrap(), "an id is used once");
        assert!(store.replace("a", 0, record(2, false)).await.unwrap());
        assert!(!store.replace("a", 0, record(3, false)).await.unwrap());
        assert_eq!(store.load("a").await.unwrap().unwrap().0, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_is_gone_when_its_time_is_over_and_who_waits_is_told() {
        let store = Memory::new(2, 1 << 20);
        assert!(store.create("a", record(1, false), HOUR).await.unwrap());
        let waits = store.changed("a", 0);
        tokio::time::timeout(HOUR * 2, waits).await.unwrap().unwrap();
        assert!(store.load("a").await.unwrap().is_none());
        assert!(store.create("a", record(1, false), HOUR).await.unwrap());
        assert_eq!(store.tasks().by_id.len(), 1);
        assert_eq!(store.tasks().bytes, record(1, false).size());
    }

    #[tokio::test]
    async fn a_change_wakes_who_waits_for_it() {
        let store = Memory::new(2, 1 << 20);
        assert!(store.create("a", record(1, false), HOUR).await.unwrap());
        let (told, changed) = tokio::join!(store.changed("a", 0), store.replace("a", 0, record(2, false)));
        told.unwrap();
        assert!(changed.unwrap());
        store.changed("a", 0).await.unwrap();
    }
}

//! Tasks whose records live outside of the server that runs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::server::{StoreError, TaskRecord, TaskStore};
use serde_json::json;

use super::stage::{Desk, Peer};

type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store as a database would be: it knows nothing of tasks, and cannot tell of changes.
#[derive(Clone, Default)]
struct Shared {
    records: Arc<Mutex<HashMap<String, (u64, TaskRecord)>>>,
    is_down: Arc<Mutex<bool>>,
}

impl Shared {
    fn with<T>(
        &self,
        act: impl FnOnce(&mut HashMap<String, (u64, TaskRecord)>) -> T,
    ) -> BoxFuture<'static, Result<T, StoreError>>
    where
        T: Send + 'static,
    {
        let done = match *self.is_down.lock().unwrap() {
            true => Err("the database is down".into()),
            false => Ok(act(&mut self.records.lock().unwrap())),
        };
        Box::pin(std::future::ready(done))
    }
}

impl TaskStore for Shared {
    fn create<'a>(
        &'a self,
        id: &'a str,
        record: TaskRecord,
        _keep: Duration,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.with(|records| records.insert(id.to_owned(), (0, record)).is_none())
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<(u64, TaskRecord)>, StoreError>> {
        self.with(|records| records.get(id).cloned())
    }

    fn replace<'a>(
        &'a self,
        id: &'a str,
        version: u64,
        record: TaskRecord,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.with(|records| match records.get_mut(id).filter(|(now, _)| *now == version) {
            Some(place) => {
                *place = (version + 1, record);
                true
            }
            None => false,
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        self.with(|records| drop(records.remove(id)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_shares_the_store_answers_and_cancels_for_the_one_that_runs_the_task() {
    let store = Shared::default();
    let desk = Desk::default();
    let (here, there) = (desk.server().task_store(store.clone()), desk.server().task_store(store.clone()));
    let (mut here, mut there) = (Peer::of(&here), Peer::of(&there));
    let id = here.start("greet").await;
    there.until(&id, "input_required").await;
    there.respond(&id, &[("name", json!({ "name": "Ada" }))]).await;
    tokio::time::sleep(Duration::from_secs(1)).await; // paused clock
    let done = there.until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "hello Ada");
    let id = here.start("wait").await;
    there.ask("tasks/cancel", json!({ "taskId": id })).await;
    desk.has_dropped(1).await;
    here.until(&id, "cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_is_an_internal_error_and_its_words_stay_inside() {
    let store = Shared::default();
    let mut peer = Peer::of(&Desk::default().server().task_store(store.clone()));
    let id = peer.start("greet").await;
    peer.until(&id, "input_required").await;
    *store.is_down.lock().unwrap() = true;
    for answer in [peer.task(&id).await, peer.call("greet").await] {
        assert_eq!(answer["error"]["code"], -32603);
        assert!(!answer["error"]["message"].as_str().unwrap().contains("database"));
    }
    tokio::time::sleep(Duration::from_secs(5)).await; // paused clock
    *store.is_down.lock().unwrap() = false;
    peer.respond(&id, &[("name", json!({ "name": "Ada" }))]).await;
    tokio::time::sleep(Duration::from_secs(5)).await; // paused clock
    peer.until(&id, "completed").await;
}

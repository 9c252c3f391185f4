//! Tells a subscription how its tasks stand, whenever that changes.

use std::sync::Arc;

use diglot_proto::types::TaskStatus;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::server::core::Core;
use crate::server::job::Caller;
use crate::server::task::desk::{Access, Desk};

/// How many tasks may wait to be told of before those who watch them wait too.
const QUEUE: usize = 16;

/// The tasks of one subscription. They are watched for as long as this lives.
pub(crate) struct Watching {
    ids: Vec<String>,
    told: mpsc::Receiver<Box<RawValue>>,
    /// Aborted when it is dropped.
    _watchers: JoinSet<()>,
}

impl Watching {
    /// Begins with those of the tasks that are the caller's, and no more than the limit allows.
    pub(crate) async fn begin(core: &Core, caller: &Caller, asked: Vec<String>) -> Self {
        let (sender, told) = mpsc::channel(QUEUE);
        let mut watchers = JoinSet::new();
        let mut ids: Vec<String> = Vec::new();
        let owner = caller.facts.principal.clone();
        let desk = &core.tasks.desk;
        for id in asked.into_iter().take(desk.limits.watched) {
            let found = desk.find(&id, Access::Of(owner.as_deref())).await;
            if ids.contains(&id) || !matches!(found, Ok(Some(_))) {
                continue;
            }
            watchers.spawn(watch(desk.clone(), id.clone(), sender.clone()));
            ids.push(id);
        }
        Self { ids, told, _watchers: watchers }
    }

    /// Returns the tasks that are watched.
    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Waits for the next task that changed, as `tasks/get` would tell of it; for ever where there is no more.
    pub(crate) async fn next(&mut self) -> Box<RawValue> {
        match self.told.recv().await {
            Some(told) => told,
            None => std::future::pending().await,
        }
    }
}

/// Watches one task to its end. One that no longer just works is told of at once: that may have happened before.
async fn watch(desk: Arc<Desk>, id: String, told: mpsc::Sender<Box<RawValue>>) {
    let mut last = None;
    loop {
        let (version, state) = match desk.find(&id, Access::Any).await {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(error) => return tracing::warn!(%error, "a task is watched no longer"),
        };
        let text = state.modern(&id, true);
        let is_news = match &last {
            Some(last) => *last != text,
            None => state.status() != TaskStatus::Working,
        };
        let news = is_news.then(|| serde_json::from_slice(&text).ok()).flatten();
        if let Some(news) = news
            && told.send(news).await.is_err()
        {
            return;
        }
        if state.is_over() {
            return;
        }
        last = Some(text);
        if let Err(error) = desk.store.changed(&id, version).await {
            return tracing::warn!(%error, "a task is watched no longer");
        }
    }
}

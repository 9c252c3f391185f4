//! What a modern server tells of a task by itself, so that nobody has to wait for the next look.

use std::sync::Arc;

use diglot_proto::jsonrpc::Message;
use diglot_proto::method::Method;
use diglot_proto::object::Object;
use diglot_proto::types::tasks::Task;
use diglot_proto::types::{ListenParams, SubscriptionFilter};
use serde_json::value::to_raw_value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::client::live::Inner;
use crate::client::options::Options;
use crate::client::request::Call;
use crate::error::Error;
use crate::transport::Inbound;

/// How many notices may wait before the stream does.
const QUEUE: usize = 16;

/// Hears of one task, for as long as this lives.
#[derive(Default)]
pub(super) enum Notices {
    /// Nobody listens yet.
    #[default]
    Idle,
    Listening(mpsc::Receiver<Task>, JoinHandle<()>),
    /// There is nothing more to hear.
    Over,
}

impl Notices {
    /// Begins to listen, once. A server that tells nothing is looked at all the same.
    pub(super) fn begin(&mut self, inner: &Arc<Inner>, id: &str) {
        if !matches!(self, Self::Idle) {
            return;
        }
        let (sender, told) = mpsc::channel(QUEUE);
        let (inner, id) = (inner.clone(), id.to_owned());
        let listener = tokio::spawn(async move {
            if let Err(error) = listen(&inner, &id, &sender).await {
                tracing::debug!(%error, "the server does not tell how a task stands");
            }
        });
        *self = Self::Listening(told, listener);
    }

    /// Waits for the next notice; for ever where there is none.
    pub(super) async fn next(&mut self) -> Task {
        if let Self::Listening(told, _) = self {
            if let Some(task) = told.recv().await {
                return task;
            }
            *self = Self::Over;
        }
        std::future::pending().await
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        if let Self::Listening(_, listener) = self {
            listener.abort();
        }
    }
}

/// Reads a subscription to one task up to its end.
async fn listen(inner: &Inner, id: &str, told: &mpsc::Sender<Task>) -> Result<(), Error> {
    let filter = SubscriptionFilter::new().with_tasks(&[id.to_owned()]);
    let params = to_raw_value(&ListenParams::new(filter)).expect("text serialises");
    let method = Method::Listen.as_str();
    let call = Call { method: method.into(), params: Some(params), is_safe: true, takes_input: false };
    let mut exchange = inner.open(&call, Options { takes_task: true, ..Options::default() }).await?;
    while let Some(inbound) = exchange.next().await {
        match inbound? {
            Inbound::Message(Message::Notification(notification))
                if notification.method == Method::TaskUpdated.as_str() =>
            {
                let task = notification.params.as_deref().and_then(|params| Task::read(params).ok());
                let Some(task) = task.filter(|task| task.task_id == id) else { continue };
                if told.send(task).await.is_err() {
                    return Ok(());
                }
            }
            Inbound::Message(Message::Notification(notification))
                if notification.method == Method::Acknowledged.as_str() =>
            {
                let params = notification.params.as_deref().and_then(Object::read).unwrap_or_default();
                let granted = params.object("notifications").and_then(|granted| granted.strings("taskIds"));
                if !granted.is_some_and(|granted| granted.iter().any(|granted| granted == id)) {
                    return Ok(());
                }
            }
            Inbound::Message(Message::Notification(_)) => {}
            // The answer, which is the end, or something in its place.
            _ => return Ok(()),
        }
    }
    Ok(())
}

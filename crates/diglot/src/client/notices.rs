//! What the host hears of the server's notifications, on a task of its own.
//!
//! Whoever reads a wire leaves a notification in a bounded queue and goes on, so that a host which takes its time holds
//! up nobody: past the limit the oldest that waits is dropped.

use std::fmt;
use std::sync::Arc;

use diglot_proto::jsonrpc::{Message, Notification};
use diglot_proto::types::LogMessageParams;
use serde_json::value::RawValue;

use crate::client::observers::Observers;
use crate::limits::Limits;
use crate::transport::Inbound;
use crate::transport::dispatch::Unsolicited;

const LOG_MESSAGE: &str = "notifications/message";

type LogListener = Arc<dyn Fn(LogMessageParams) + Send + Sync>;
type Listener = Arc<dyn Fn(&str, Option<&RawValue>) + Send + Sync>;

/// The functions of the host that hear of notifications.
#[derive(Clone, Default)]
pub(super) struct Host {
    on_log: Option<LogListener>,
    on_notification: Option<Listener>,
}

impl Host {
    pub(super) fn set_log(&mut self, listener: impl Fn(LogMessageParams) + Send + Sync + 'static) {
        self.on_log = Some(Arc::new(listener));
    }

    pub(super) fn set_notification(
        &mut self,
        listener: impl Fn(&str, Option<&RawValue>) + Send + Sync + 'static,
    ) {
        self.on_notification = Some(Arc::new(listener));
    }

    /// Tells whether anybody hears of anything.
    pub(super) fn is_set(&self) -> bool {
        self.on_log.is_some() || self.on_notification.is_some()
    }

    /// Hears what the observers are told from now on; the task ends with the last of them.
    pub(super) fn observe(&self, observers: &mut Observers, limits: &Limits) {
        if !self.is_set() {
            return;
        }
        let queue = Arc::new(Unsolicited::new(limits));
        tokio::spawn(self.clone().hear(queue.clone()));
        let hears_all = self.on_notification.is_some();
        let post = Post(queue);
        observers.add(move |notification| {
            if hears_all || notification.method == LOG_MESSAGE {
                let notification = Message::Notification(notification.clone().into_owned());
                post.0.push(Inbound::Message(notification));
            }
        });
    }

    async fn hear(self, queue: Arc<Unsolicited>) {
        while let Some(inbound) = queue.next().await {
            if let Inbound::Message(Message::Notification(notification)) = inbound {
                self.tell(&notification);
            }
        }
    }

    fn tell(&self, notification: &Notification<'_>) {
        let params = notification.params.as_deref();
        if let Some(on_notification) = &self.on_notification {
            on_notification(&notification.method, params);
        }
        if notification.method == LOG_MESSAGE
            && let Some(on_log) = &self.on_log
        {
            match params.map(LogMessageParams::read) {
                Some(Ok(message)) => on_log(message),
                Some(Err(fault)) => tracing::debug!(%fault, "a log message that cannot be read"),
                None => tracing::debug!("a log message without parameters"),
            }
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("on_log", &self.on_log.is_some())
            .field("on_notification", &self.on_notification.is_some())
            .finish()
    }
}

/// The end of the queue that is written to; without it there is nothing more to hear.
struct Post(Arc<Unsolicited>);

impl Drop for Post {
    fn drop(&mut self) {
        self.0.close();
    }
}

//! The messages that belong to no exchange, until somebody reads them. Perhaps nobody ever does, so they are bounded.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::Message;
use tokio::sync::Notify;

use crate::limits::Limits;
use crate::transport::Inbound;

/// A bounded queue that drops its oldest notifications first.
pub(crate) struct Unsolicited {
    most: usize,
    most_bytes: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    messages: VecDeque<Message<'static>>,
    bytes: usize,
    dropped: u64,
    /// Whether the reader has still to be told that messages were lost.
    has_missed: bool,
    is_closed: bool,
}

impl Unsolicited {
    /// Begins with nothing. The messages together are never larger than one message may be.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.queued_messages.max(1),
            most_bytes: limits.message_bytes,
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Adds a message and makes room for it where there is none, or notes that messages were lost before they came.
    ///
    /// The reader hears of a loss before anything else. Whatever else can come in belongs to an exchange.
    pub(crate) fn push(&self, inbound: Inbound) {
        let mut state = self.state();
        match inbound {
            _ if state.is_closed => return,
            Inbound::Message(message) => {
                state.bytes += weight(&message);
                state.messages.push_back(message);
            }
            Inbound::Missed => state.has_missed = true,
            _ => return,
        }
        while state.messages.len() > self.most || (state.bytes > self.most_bytes && state.messages.len() > 1)
        {
            state.drop_one();
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Takes no more messages; those that wait can still be taken.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_waiters();
    }

    /// Waits for the next message; returns nothing when there will be none any more.
    pub(crate) async fn next(&self) -> Option<Inbound> {
        loop {
            // Made before the state is looked at, so that no change after the look is missed.
            let changed = self.changed.notified();
            {
                let mut state = self.state();
                if std::mem::take(&mut state.has_missed) {
                    return Some(Inbound::Missed);
                }
                if let Some(message) = state.messages.pop_front() {
                    state.bytes -= weight(&message);
                    return Some(Inbound::Message(message));
                }
                if state.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Drops the oldest notification, or the oldest request where there are only requests.
    fn drop_one(&mut self) {
        let is_notification = |message: &Message<'_>| matches!(message, Message::Notification(_));
        let at = self.messages.iter().position(is_notification).unwrap_or(0);
        let Some(message) = self.messages.remove(at) else { return };
        self.bytes -= weight(&message);
        self.has_missed = true;
        if self.dropped == 0 {
            tracing::warn!("messages of the server wait unread; the oldest are dropped");
        }
        self.dropped += 1;
        tracing::debug!(dropped = self.dropped, "dropped an unread message of the server");
    }
}

fn weight(message: &Message<'_>) -> usize {
    let raw = match message {
        Message::Request(request) => request.params.as_ref(),
        Message::Notification(notification) => notification.params.as_ref(),
        _ => None,
    };
    raw.map_or(0, |raw| raw.get().len())
}

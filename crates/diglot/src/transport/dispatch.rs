//! Which exchange a message belongs to, on a wire that many of them share.
//!
//! Answers go by their id, progress goes by its token, and all else is unsolicited.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{Id, Message, ReplyId};
use diglot_proto::meta::progress_token;
use tokio::sync::Notify;

use crate::error::TransportError;
use crate::transport::exchange::Slot;
use crate::transport::{Inbound, Outbound};

/// The open exchanges of a shared wire, and the messages that belong to none.
#[derive(Debug)]
pub(crate) struct Dispatch {
    /// The most messages that wait for their reader.
    queued_messages: usize,
    state: Mutex<State>,
    unsolicited_changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<Id, Arc<Slot>>,
    unsolicited: VecDeque<Inbound>,
    ended: Option<TransportError>,
}

/// An open exchange of a shared wire; dropping it closes it.
#[derive(Debug)]
pub(crate) struct Opened {
    dispatch: Arc<Dispatch>,
    id: Id,
    slot: Arc<Slot>,
}

impl Dispatch {
    pub(crate) fn new(queued_messages: usize) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { queued_messages, state, unsolicited_changed: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens an exchange for a request, before it is sent; nothing for a message that no answer is awaited to.
    ///
    /// It fails once the wire has ended.
    pub(crate) fn open(self: &Arc<Self>, outbound: &Outbound) -> Result<Option<Opened>, TransportError> {
        let mut state = self.state();
        if let Some(error) = &state.ended {
            return Err(error.again());
        }
        let Some(id) = outbound.id() else { return Ok(None) };
        let slot = Slot::new();
        state.open.insert(id.clone(), slot.clone());
        Ok(Some(Opened { dispatch: self.clone(), id: id.clone(), slot }))
    }

    /// Hands on what came in; an answer that no open request waits for is dropped.
    pub(crate) fn deliver(&self, inbound: Inbound) {
        match &inbound {
            Inbound::Message(Message::Response(response)) => self.answer(&response.id.clone(), inbound),
            Inbound::Unreadable(unreadable) if unreadable.is_reply => match unreadable.id.clone() {
                Some(id) => self.answer(&ReplyId::Id(id), inbound),
                None => self.answer(&ReplyId::Absent, inbound),
            },
            Inbound::Message(Message::Notification(notification))
                if notification.method == "notifications/progress" =>
            {
                let token = notification.params.as_deref().and_then(progress_token);
                match token.and_then(|token| self.state().find(&token)) {
                    Some((_, slot)) => slot.put(inbound, self.queued_messages, false),
                    None => self.set_aside(inbound),
                }
            }
            _ => self.set_aside(inbound),
        }
    }

    /// Tells the exchange that an answer over the limit was for, if it can be made out.
    pub(crate) fn too_large(&self, id: Option<Id>, limit: usize) {
        self.answer(&id.map_or(ReplyId::Absent, ReplyId::Id), Inbound::TooLarge(limit));
    }

    fn answer(&self, id: &ReplyId, inbound: Inbound) {
        let slot = {
            let mut state = self.state();
            state.find(id).and_then(|(id, _)| state.open.remove(&id))
        };
        let Some(slot) = slot else {
            tracing::debug!(%id, "an answer that no open request waits for was dropped");
            return;
        };
        slot.put(inbound, self.queued_messages, true);
        slot.end(None);
    }

    fn set_aside(&self, inbound: Inbound) {
        let mut state = self.state();
        while state.unsolicited.len() >= self.queued_messages {
            state.unsolicited.pop_front();
        }
        state.unsolicited.push_back(inbound);
        drop(state);
        self.unsolicited_changed.notify_one();
    }

    /// Ends the wire: every open exchange fails, and so does every later one.
    pub(crate) fn end(&self, error: TransportError) {
        let mut state = self.state();
        if state.ended.is_some() {
            return;
        }
        let open = std::mem::take(&mut state.open);
        for slot in open.into_values() {
            slot.end(Some(error.again().after_sending()));
        }
        state.ended = Some(error);
        drop(state);
        self.unsolicited_changed.notify_one();
    }

    /// Returns why the wire ended, once it has.
    pub(crate) fn failure(&self) -> Option<TransportError> {
        self.state().ended.as_ref().map(TransportError::again)
    }

    /// Waits for the next message that belongs to no exchange; nothing once the wire has ended.
    pub(crate) async fn unsolicited(&self) -> Option<Inbound> {
        loop {
            {
                let mut state = self.state();
                if let Some(inbound) = state.unsolicited.pop_front() {
                    return Some(inbound);
                }
                if state.ended.is_some() {
                    // Whoever else waits is to see it too.
                    self.unsolicited_changed.notify_one();
                    return None;
                }
            }
            self.unsolicited_changed.notified().await;
        }
    }
}

impl State {
    /// Finds the exchange of an id as a peer spelled it; where it names none, the only one that is open.
    fn find(&self, id: &ReplyId) -> Option<(Id, Arc<Slot>)> {
        let found = match id {
            ReplyId::Id(id) => self.open.get_key_value(id),
            _ if id.is_nullish() && self.open.len() == 1 => self.open.iter().next(),
            _ => None,
        };
        let found = found.or_else(|| self.open.iter().find(|(open, _)| id.matches(open)));
        found.map(|(id, slot)| (id.clone(), slot.clone()))
    }
}

impl Opened {
    /// Waits for the next thing about the request; nothing once it was answered. It is safe to drop at any time.
    pub(crate) async fn take(&self) -> Option<Result<Inbound, TransportError>> {
        self.slot.take().await
    }

    /// Closes the exchange for good: nothing more is told about the request.
    pub(crate) fn close(&self) {
        self.dispatch.state().open.remove(&self.id);
        self.slot.end(None);
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.dispatch.state().open.remove(&self.id);
    }
}

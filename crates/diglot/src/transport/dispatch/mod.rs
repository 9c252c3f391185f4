//! Which exchange a message belongs to, on a wire that many of them share.
//!
//! Answers go by their id, progress and subscriptions go by theirs, and all else is unsolicited. A pipe and the stream
//! of HTTP+SSE are such wires.

mod queue;
mod requests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diglot_proto::jsonrpc::{
    self, Id, Message, Notification, Parsed, ReplyId, Response, Unreadable, UnreadableKind,
};
use diglot_proto::meta;

pub(crate) use self::queue::Unsolicited;
use self::requests::Requests;
use crate::error::TransportError;
use crate::limits::Limits;
use crate::transport::Inbound;
use crate::transport::exchange::Slot;

/// The open exchanges of a shared wire, and the messages that belong to none.
pub(crate) struct Dispatch {
    requests: Requests,
    unsolicited: Unsolicited,
    noise: AtomicU64,
    queued_messages: usize,
    message_bytes: usize,
}

impl Dispatch {
    /// Begins with no request.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: Requests::default(),
            unsolicited: Unsolicited::new(limits),
            noise: AtomicU64::new(0),
            queued_messages: limits.queued_messages,
            message_bytes: limits.message_bytes,
        }
    }

    /// Opens an exchange for a request, before its bytes can leave, since the answer may come at once.
    ///
    /// It fails once the wire has ended.
    pub(crate) fn open(&self, id: Id, is_opening: bool) -> Result<Arc<Slot>, TransportError> {
        let slot = Slot::new();
        self.requests.open(id, Arc::clone(&slot), is_opening)?;
        Ok(slot)
    }

    /// Forgets a request, and tells whether it was still open.
    pub(crate) fn withdraw(&self, id: &Id, slot: &Arc<Slot>) -> bool {
        self.requests.withdraw(id, slot)
    }

    /// Tells whether at most one request is open.
    pub(crate) fn is_quiet(&self) -> bool {
        self.requests.are_few()
    }

    /// Waits for the next message that belongs to no exchange.
    pub(crate) async fn unsolicited(&self) -> Option<Inbound> {
        self.unsolicited.next().await
    }

    /// Ends every exchange, for good. Only the first failure counts.
    pub(crate) fn end(&self, error: &TransportError) {
        self.requests.end(error);
        self.unsolicited.close();
    }

    /// Returns why the wire ended, once it has.
    pub(crate) fn failure(&self) -> Option<TransportError> {
        self.requests.failure()
    }

    /// Takes a text that came in and gives what it says to whom it concerns.
    pub(crate) fn take_in(&self, text: &[u8]) {
        match jsonrpc::parse(text) {
            Ok(Parsed::One(message)) => self.message(message),
            Ok(Parsed::Batch(members)) => {
                for member in members {
                    match member {
                        Ok(message) => self.message(message),
                        Err(unreadable) => self.unreadable(unreadable, b""),
                    }
                }
            }
            Ok(_) => {}
            Err(unreadable) => self.unreadable(unreadable, text),
        }
    }

    fn message(&self, message: Message<'_>) {
        match message {
            Message::Response(response) => self.response(response),
            Message::Notification(notification) => {
                let slot = self.request_about(&notification);
                let inbound = Inbound::Message(Message::Notification(notification.into_owned()));
                match slot {
                    Some(slot) => slot.put(inbound, self.queued_messages, false),
                    None => self.unsolicited.push(inbound),
                }
            }
            message => self.unsolicited.push(Inbound::Message(message.into_owned())),
        }
    }

    fn response(&self, response: Response<'_>) {
        let slot = match response.id.is_nullish() && response.outcome.is_err() {
            true => self.requests.settle_lone_opening(),
            false => self.requests.settle(&response.id),
        };
        match slot {
            Some(slot) => slot.finish(Inbound::Message(Message::Response(response.into_owned()))),
            None => tracing::debug!(id = %response.id, "dropped a response to no open request"),
        }
    }

    /// Finds the open request that a notification is about: its progress, or its subscription.
    fn request_about(&self, notification: &Notification<'_>) -> Option<Arc<Slot>> {
        let params = notification.params.as_ref()?;
        if self.requests.is_empty() {
            return None;
        }
        let id = match &*notification.method {
            "notifications/progress" => meta::progress_token(params),
            _ => meta::subscription_id(params),
        };
        self.requests.find(&id?)
    }

    fn unreadable(&self, unreadable: Unreadable, text: &[u8]) {
        let id = unreadable.id.clone().filter(|_| is_answer(&unreadable, text));
        match id.and_then(|id| self.requests.settle(&ReplyId::Id(id))) {
            Some(slot) => slot.finish(Inbound::Unreadable(unreadable)),
            None => {
                let count = self.noise.fetch_add(1, Ordering::Relaxed) + 1;
                tracing::debug!(count, line = %unreadable, "skipped a line that is no message");
            }
        }
    }

    /// Takes the beginning of a text over the limit, and fails the request that it answers.
    pub(crate) fn too_long(&self, length: usize, prefix: &[u8]) {
        let id = jsonrpc::recover_id(prefix).filter(|_| begins_like_an_answer(prefix));
        match id.and_then(|id| self.requests.settle(&ReplyId::Id(id))) {
            Some(slot) => slot.finish(Inbound::TooLarge(self.message_bytes)),
            None => tracing::warn!(length, "skipped a line over the message limit"),
        }
    }
}

/// Tells whether an unreadable text with an id of ours was meant to answer our request.
///
/// The server numbers its own requests, and logs may have ids too; those must not fail ours.
fn is_answer(unreadable: &Unreadable, text: &[u8]) -> bool {
    match unreadable.kind {
        UnreadableKind::Malformed => true,
        UnreadableKind::NotAMessage => false,
        UnreadableKind::NotJson => {
            unreadable.is_reply || (place(text, b"\"jsonrpc\"").is_some() && begins_like_an_answer(text))
        }
        _ => unreadable.is_reply,
    }
}

/// Tells whether no `method` comes before the first `result` or `error`, as far as the text goes.
fn begins_like_an_answer(text: &[u8]) -> bool {
    let Some(method) = place(text, b"\"method\"") else { return true };
    [b"\"result\"".as_slice(), b"\"error\""]
        .into_iter()
        .any(|word| place(text, word).is_some_and(|place| place < method))
}

fn place(text: &[u8], word: &[u8]) -> Option<usize> {
    /// Where the members of an envelope stand, unless they come after a long value.
    const HEAD: usize = 512;
    text.get(..HEAD).unwrap_or(text).windows(word.len()).position(|window| window == word)
}

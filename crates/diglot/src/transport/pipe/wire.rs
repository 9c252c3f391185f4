//! One open wire: its open requests, its unsent bytes, and what each line that comes in means.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diglot_proto::jsonrpc::{
    self, Id, Message, Notification, Parsed, ReplyId, Response, Unreadable, UnreadableKind,
};
use diglot_proto::lines::Line;
use diglot_proto::meta;
use diglot_proto::version::Revision;

use super::Sink;
use super::outbox::Outbox;
use super::queue::Unsolicited;
use super::requests::Requests;
use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::exchange::Slot;
use crate::transport::{BoxFuture, Exchange, ExchangeSource, Inbound, Outbound, OutboundKind};

/// What the tasks of one wire share.
pub(in crate::transport) struct Wire {
    limits: Limits,
    target: String,
    requests: Requests,
    outbox: Outbox,
    unsolicited: Unsolicited,
    noise: AtomicU64,
}

impl Wire {
    /// Begins with no request and no bytes.
    pub(in crate::transport) fn new(sink: Sink, target: String, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            target,
            requests: Requests::default(),
            outbox: Outbox::new(sink, limits.unsent_bytes),
            unsolicited: Unsolicited::new(limits),
            noise: AtomicU64::new(0),
            limits: limits.clone(),
        })
    }

    /// Sends a message once there is room for it.
    pub(in crate::transport) async fn send(
        self: &Arc<Self>,
        outbound: Outbound,
    ) -> Result<Exchange, TransportError> {
        self.outbox.room().await;
        let OutboundKind::Request(id) = outbound.kind else {
            self.push(&outbound.bytes)?;
            return Ok(Exchange::delivered());
        };
        let slot = Slot::new();
        // Registered before its bytes can leave, since the answer may come at once.
        self.requests.open(id.clone(), Arc::clone(&slot), outbound.is_opening)?;
        let is_cancellable = outbound.cancels_by_notification && !outbound.is_opening;
        let exchange = OpenExchange {
            wire: Arc::clone(self),
            id,
            slot,
            cancellation: is_cancellable.then_some(Cancellation { revision: outbound.revision }),
        };
        self.push(&outbound.bytes)?;
        Ok(Exchange::new(exchange))
    }

    fn push(&self, message: &[u8]) -> Result<(), TransportError> {
        // With nothing to share a batch with, there is no reason to leave it to the writing task.
        let is_taken = match self.requests.are_few() {
            true => self.outbox.push_now(message),
            false => self.outbox.push(message),
        };
        match is_taken {
            true => Ok(()),
            false => Err(self.requests.failure().unwrap_or_else(|| self.error(TransportFault::Ended))),
        }
    }

    /// Waits for the next message that belongs to no exchange.
    pub(in crate::transport) async fn unsolicited(&self) -> Option<Inbound> {
        self.unsolicited.next().await
    }

    /// Writes what is sent until there will be no more, then shuts the stream down.
    pub(in crate::transport) async fn write_out(self: Arc<Self>) {
        self.outbox.write_out().await;
    }

    /// Sends nothing more than what waits.
    pub(in crate::transport) fn finish_sending(&self) {
        self.outbox.finish();
    }

    /// Waits until all is sent after [`finish_sending`](Self::finish_sending).
    pub(in crate::transport) async fn sent_all(&self) {
        self.outbox.closed().await;
    }

    /// Waits for a failure to write; it is told once.
    pub(in crate::transport) async fn write_failure(&self) -> io::Error {
        self.outbox.failure().await
    }

    /// Ends every exchange and whatever waits, for good. Only the first failure counts.
    pub(in crate::transport) fn end(&self, error: &TransportError) {
        self.requests.end(error);
        self.outbox.close();
        self.unsolicited.close();
    }

    /// Returns why the wire ended, once it has.
    pub(in crate::transport) fn failure(&self) -> Option<TransportError> {
        self.requests.failure()
    }

    /// States a failure of this wire.
    pub(in crate::transport) fn error(&self, fault: TransportFault) -> TransportError {
        TransportError::new(fault, self.target.clone())
    }
}

/// What came in.
impl Wire {
    /// Takes a line and gives it to whom it concerns.
    pub(super) fn take_in(&self, line: Line<'_>) {
        match line {
            Line::Text(text) => match jsonrpc::parse(text) {
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
            },
            Line::TooLong { length, prefix } => self.too_long(length, prefix),
            _ => {}
        }
    }

    fn message(&self, message: Message<'_>) {
        match message {
            Message::Response(response) => self.response(response),
            Message::Notification(notification) => {
                let inbound =
                    |notification: Notification<'_>| Message::Notification(notification.into_owned());
                match self.request_about(&notification) {
                    Some(slot) => {
                        let inbound = Inbound::Message(inbound(notification));
                        slot.put(inbound, self.limits.queued_messages, false);
                    }
                    None => self.unsolicited.push(inbound(notification)),
                }
            }
            message => self.unsolicited.push(message.into_owned()),
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

    fn too_long(&self, length: usize, prefix: &[u8]) {
        let id = jsonrpc::recover_id(prefix).filter(|_| begins_like_an_answer(prefix));
        match id.and_then(|id| self.requests.settle(&ReplyId::Id(id))) {
            Some(slot) => slot.finish(Inbound::TooLarge(self.limits.message_bytes)),
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

/// A request that this wire has sent; dropping it forgets the request and withdraws it.
struct OpenExchange {
    wire: Arc<Wire>,
    id: Id,
    slot: Arc<Slot>,
    cancellation: Option<Cancellation>,
}

/// How a request is withdrawn.
struct Cancellation {
    revision: Option<Revision>,
}

impl ExchangeSource for OpenExchange {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
        Box::pin(self.slot.take())
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        let was_open = self.wire.requests.withdraw(&self.id, &self.slot);
        if let Some(Cancellation { revision }) = self.cancellation.take().filter(|_| was_open) {
            self.wire.outbox.push(&Outbound::cancellation(&self.id, revision).bytes);
        }
    }
}

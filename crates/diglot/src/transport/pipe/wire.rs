//! One open wire: its open requests, its unsent bytes, and what each line that comes in means.

use std::io;
use std::sync::Arc;

use diglot_proto::jsonrpc::Id;
use diglot_proto::lines::Line;
use diglot_proto::version::Revision;

use super::Sink;
use super::outbox::Outbox;
use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::dispatch::Dispatch;
use crate::transport::exchange::Slot;
use crate::transport::{BoxFuture, Exchange, ExchangeSource, Inbound, Outbound, OutboundKind};

/// What the tasks of one wire share.
pub(in crate::transport) struct Wire {
    target: String,
    dispatch: Dispatch,
    outbox: Outbox,
}

impl Wire {
    /// Begins with no request and no bytes.
    pub(in crate::transport) fn new(sink: Sink, target: String, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            target,
            dispatch: Dispatch::new(limits),
            outbox: Outbox::new(sink, limits.unsent_bytes),
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
        let slot = self.dispatch.open(id.clone(), outbound.is_opening)?;
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
        let is_taken = match self.dispatch.is_quiet() {
            true => self.outbox.push_now(message),
            false => self.outbox.push(message),
        };
        match is_taken {
            true => Ok(()),
            false => Err(self.dispatch.failure().unwrap_or_else(|| self.error(TransportFault::Ended))),
        }
    }

    /// Waits for the next message that belongs to no exchange.
    pub(in crate::transport) async fn unsolicited(&self) -> Option<Inbound> {
        self.dispatch.unsolicited().await
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
        self.dispatch.end(error);
        self.outbox.close();
    }

    /// Returns why the wire ended, once it has.
    pub(in crate::transport) fn failure(&self) -> Option<TransportError> {
        self.dispatch.failure()
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
            Line::Text(text) => self.dispatch.take_in(text),
            Line::TooLong { length, prefix } => self.dispatch.too_long(length, prefix),
            _ => {}
        }
    }
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
        let was_open = self.wire.dispatch.withdraw(&self.id, &self.slot);
        if let Some(Cancellation { revision }) = self.cancellation.take().filter(|_| was_open) {
            self.wire.outbox.push(&Outbound::cancellation(&self.id, revision).bytes);
        }
    }
}

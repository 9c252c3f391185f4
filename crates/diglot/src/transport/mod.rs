//! How a client reaches a server: a [`Transport`] can open, a [`Connection`] is open, an [`Exchange`] is one request.
//!
//! A transport moves messages and knows no protocol: what a wire must mirror of a message stands in its
//! [`Outbound`], and what came back is told as it came, in [`Inbound`].

mod child;
pub(crate) mod dispatch;
pub(crate) mod exchange;
mod memory;
mod outbound;
mod pipe;
mod reply;

pub use diglot_proto::lifecycle::Binding;

pub use crate::future::BoxFuture;

pub use child::ChildProcess;
pub use exchange::{Exchange, ExchangeSource};
pub use memory::{MemoryTransport, memory_pair};
pub use outbound::{Outbound, OutboundKind};
pub use pipe::Pipe;
pub use reply::{HttpReply, Inbound, ReplyBody};

use crate::error::TransportError;
use crate::limits::Limits;

/// Knows how to reach one server.
pub trait Transport: Send + Sync + 'static {
    /// Tells how silence and ids are to be read.
    fn binding(&self) -> Binding;

    /// Opens a connection.
    ///
    /// It may be called again on the same transport, since some legacy servers die of the probe. A transport that
    /// can open only once fails the second time and says so in [`reopens`](Self::reopens).
    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>>;

    /// Names the server for people: a URL without credentials, or a command.
    fn target(&self) -> String;

    /// Names the wire: `stdio`, `streamable-http`, `http+sse`, or a word of the transport's own.
    fn name(&self) -> &'static str;

    /// Tells whether the transport can be opened a second time.
    fn reopens(&self) -> bool {
        true
    }

    /// Tells whether the transport carries the legacy era only, so that probing makes no sense (rule 9).
    fn is_legacy_only(&self) -> bool {
        false
    }

    /// Returns the key under which a store remembers the server's era, if it can be remembered.
    ///
    /// It is stable between processes and holds no secret.
    fn key(&self) -> Option<String> {
        None
    }

    /// Returns the deprecated HTTP+SSE transport to the same server, where a fallback to it is allowed (rule 6).
    fn http_sse(&self) -> Option<Box<dyn Transport>> {
        None
    }
}

/// An open wire to one server.
///
/// Requests may be sent at any time and from any task; answers come in any order.
pub trait Connection: Send + Sync + 'static {
    /// Sends a message and returns what is said about it.
    ///
    /// For a notification or a response, the exchange ends when the message is delivered. Dropping the future, or
    /// the exchange, cancels a request in the way that its [`Outbound`] says.
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>>;

    /// Waits for the next message that belongs to no exchange; legacy servers send such.
    ///
    /// It returns nothing when there will be none any more. Before [`attend`](Self::attend) it may wait for ever.
    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>>;

    /// Asks for the messages that belong to no exchange, and tells whether the server sends such over this wire.
    ///
    /// It begins at the call, not when the future is first polled, and does nothing where they come unasked, as on a
    /// pipe. The client calls it in the legacy era alone, after the handshake.
    ///
    /// # Errors
    ///
    /// The way on which they would come has failed for good.
    fn attend(&self) -> BoxFuture<'_, Result<bool, TransportError>> {
        Box::pin(async { Ok(true) })
    }

    /// Closes the wire. It never fails and ends within a bounded time.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Returns why the wire ended, once it has.
    fn failure(&self) -> Option<TransportError> {
        None
    }

    /// Returns the last lines that the server wrote to its stderr, oldest first, where it has one.
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }
}

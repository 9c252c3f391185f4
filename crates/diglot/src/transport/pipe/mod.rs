//! Messages over any pair of byte streams, one a line.
//!
//! The engine is shared by everything that frames by lines: [`wire`] knows which request is open and what a line
//! means, [`reader`] and [`outbox`] move bytes. It holds no protocol state.

mod outbox;
mod reader;
mod wire;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(super) use self::reader::{Reader, Step};
pub(super) use self::wire::Wire;

use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::{Binding, BoxFuture, Connection, Exchange, Inbound, Outbound, Transport};

/// The half of a byte stream that a server writes to.
pub(super) type Source = Box<dyn AsyncRead + Send + Unpin>;
/// The half of a byte stream that a server reads.
pub(super) type Sink = Box<dyn AsyncWrite + Send + Unpin>;

/// How long the bytes that wait may take to leave when the connection is closed.
const FLUSH: Duration = Duration::from_secs(1);

/// A server at the other end of a pair of byte streams: a socket, a pseudo terminal, the halves of something else.
///
/// The streams are used up by the first connection, so it opens only once.
pub struct Pipe {
    name: String,
    halves: Mutex<Option<(Source, Sink)>>,
}

impl Pipe {
    /// Takes the stream that the server writes to and the one that it reads.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let halves: (Source, Sink) = (Box::new(reader), Box::new(writer));
        Self { name: "the server".to_owned(), halves: Mutex::new(Some(halves)) }
    }

    /// Names the server, for messages to people.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

impl Transport for Pipe {
    fn binding(&self) -> Binding {
        Binding::Pipe
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async move {
            let halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (reader, writer) =
                halves.ok_or_else(|| TransportError::new(TransportFault::OnlyOnce, self.target()))?;
            Ok(connect(reader, writer, self.target(), limits))
        })
    }

    fn target(&self) -> String {
        self.name.clone()
    }

    fn name(&self) -> &'static str {
        "pipe"
    }

    fn reopens(&self) -> bool {
        false
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Makes a connection of a pair of streams and starts the tasks that move its bytes.
pub(super) fn connect(reader: Source, writer: Sink, target: String, limits: &Limits) -> Box<dyn Connection> {
    let wire = Wire::new(writer, target, limits);
    let reader = Reader::new(reader, limits);
    Box::new(PipeConnection {
        reading: tokio::spawn(read_on(Arc::clone(&wire), reader)),
        writing: tokio::spawn(Arc::clone(&wire).write_out()),
        wire,
    })
}

/// Reads until either direction ends, and ends every exchange then.
async fn read_on(wire: Arc<Wire>, mut reader: Reader) {
    let error = loop {
        tokio::select! {
            step = reader.step(&wire) => match step {
                Ok(Step::More) => {}
                Ok(Step::End) => break wire.error(TransportFault::Ended),
                Err(error) => break wire.error(TransportFault::Broken).because(error),
            },
            error = wire.write_failure() => {
                // What the server said before it went still counts.
                reader.drain(&wire).await;
                break wire.error(TransportFault::Broken).because(error);
            }
        }
    };
    wire.end(&error);
}

struct PipeConnection {
    wire: Arc<Wire>,
    reading: JoinHandle<()>,
    writing: JoinHandle<()>,
}

impl Connection for PipeConnection {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(self.wire.send(outbound))
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(self.wire.unsolicited())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.wire.finish_sending();
            // Whether the bytes left or not, the wire is closed when the time is up.
            let _ = timeout(FLUSH, self.wire.sent_all()).await;
            self.stop();
        })
    }

    fn failure(&self) -> Option<TransportError> {
        self.wire.failure()
    }
}

impl PipeConnection {
    fn stop(&self) {
        self.reading.abort();
        self.writing.abort();
        self.wire.end(&self.wire.error(TransportFault::Ended));
    }
}

impl Drop for PipeConnection {
    fn drop(&mut self) {
        self.stop();
    }
}

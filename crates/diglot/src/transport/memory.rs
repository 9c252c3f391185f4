//! A server in the same process: the pipe without an operating system under it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::io::DuplexStream;

use super::pipe;
use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::{Binding, BoxFuture, Connection, Transport};

/// How many bytes each direction of a pair holds before its writer waits.
const BUFFER: usize = 64 * 1024;

/// A server in the same process, for tests and for servers that are linked in.
pub struct MemoryTransport {
    streams: Streams,
}

/// Where the client's ends come from.
enum Streams {
    One(Mutex<Option<DuplexStream>>),
    Many(Box<dyn Fn() -> DuplexStream + Send + Sync>),
}

impl MemoryTransport {
    /// Takes a closure that starts a server and returns the client's end; each connection calls it once.
    pub fn new(start: impl Fn() -> DuplexStream + Send + Sync + 'static) -> Self {
        Self { streams: Streams::Many(Box::new(start)) }
    }

    fn stream(&self) -> Option<DuplexStream> {
        match &self.streams {
            Streams::One(stream) => stream.lock().unwrap_or_else(PoisonError::into_inner).take(),
            Streams::Many(start) => Some(start()),
        }
    }
}

impl Transport for MemoryTransport {
    fn binding(&self) -> Binding {
        Binding::Pipe
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async move {
            let stream =
                self.stream().ok_or_else(|| TransportError::new(TransportFault::OnlyOnce, self.target()))?;
            let (reader, writer) = tokio::io::split(stream);
            Ok(pipe::connect(Box::new(reader), Box::new(writer), self.target(), limits))
        })
    }

    fn target(&self) -> String {
        "the server in memory".to_owned()
    }

    fn name(&self) -> &'static str {
        "memory"
    }

    fn reopens(&self) -> bool {
        matches!(self.streams, Streams::Many(_))
    }
}

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTransport").field("reopens", &self.reopens()).finish_non_exhaustive()
    }
}

/// Makes a client's transport, which opens once, and the server's end of its stream.
///
/// The server's end reads and writes messages, one a line.
pub fn memory_pair() -> (MemoryTransport, DuplexStream) {
    let (client, server) = tokio::io::duplex(BUFFER);
    (MemoryTransport { streams: Streams::One(Mutex::new(Some(client))) }, server)
}

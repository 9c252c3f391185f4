//! A server in the same process.

use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::{Binding, BoxFuture, Connection, Transport};

/// A server at the other end of a pair of byte streams.
#[derive(Debug)]
pub struct MemoryTransport {}

impl Transport for MemoryTransport {
    fn binding(&self) -> Binding {
        Binding::Pipe
    }

    fn open<'a>(&'a self, _limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async { Err(TransportError::new(TransportFault::OnlyOnce, self.target())) })
    }

    fn target(&self) -> String {
        "a pipe".to_owned()
    }

    fn name(&self) -> &'static str {
        "pipe"
    }
}

/// Makes two ends.
pub fn memory_pair() {}

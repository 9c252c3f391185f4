//! Standard streams that are sockets, as some clients start their servers.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use tokio::net::UnixStream;

use crate::server::pipe::{Sink, Source};

pub(super) fn source(stream: OwnedFd) -> io::Result<Source> {
    Ok(Box::pin(open(stream)?))
}

pub(super) fn sink(stream: OwnedFd) -> io::Result<Sink> {
    Ok(Box::pin(Lent(open(stream)?)))
}

fn open(stream: OwnedFd) -> io::Result<UnixStream> {
    let stream = net::UnixStream::from(stream);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

/// A socket that goes back to the process, so that it is not shut down.
struct Lent(UnixStream);

impl AsyncWrite for Lent {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

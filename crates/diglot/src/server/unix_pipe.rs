//! Serving over a Unix socket, each connection a pipe of its own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::server::core::Core;
use crate::server::pipe;
use crate::server::socket::Socket;
use crate::server::{ServeError, Server};

/// The most connections at a time; others wait to be accepted.
const CONNECTIONS: usize = 1_024;

/// How long to wait after a connection could not be accepted: as a rule there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

impl Server {
    /// Serves every client that connects to a Unix socket, one message a line, for as long as it is awaited.
    ///
    /// Only the user of this process may connect. The file of a server that is gone is replaced, and the own one is
    /// removed at the end.
    ///
    /// # Errors
    ///
    /// The socket cannot be made: another server listens there, the path is taken by something else, or it is longer
    /// than a socket's may be.
    pub async fn serve_unix_pipe(self, path: impl AsRef<Path>) -> Result<(), ServeError> {
        self.serve_unix_pipe_until(path, std::future::pending()).await
    }

    /// Serves as [`serve_unix_pipe`](Self::serve_unix_pipe) does, until a future is ready.
    ///
    /// Then no more connections are accepted, and those that are open end in good order: subscriptions end with
    /// their result, and requests under way are answered within [`drain_time`](Self::drain_time).
    ///
    /// # Errors
    ///
    /// As for [`serve_unix_pipe`](Self::serve_unix_pipe).
    pub async fn serve_unix_pipe_until(
        self,
        path: impl AsRef<Path>,
        until: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let path = path.as_ref();
        let socket = Socket::bind(path)
            .map_err(|error| ServeError::Listen { place: path.display().to_string(), error })?;
        let mut connections = Connections::new(self.core());
        tokio::select! {
            () = connections.accept(&socket) => {}
            () = until => {}
        }
        // Who connects now is to find no server, and not one that is about to go.
        drop(socket);
        connections.end().await;
        Ok(())
    }
}

/// The open connections of one socket.
struct Connections {
    core: Arc<Core>,
    open: JoinSet<Result<(), ServeError>>,
    /// Ends every connection when it is dropped.
    stop: watch::Sender<()>,
}

impl Connections {
    fn new(core: Arc<Core>) -> Self {
        Self { core, open: JoinSet::new(), stop: watch::Sender::new(()) }
    }

    /// Accepts connections, and never ends.
    async fn accept(&mut self, socket: &Socket) {
        loop {
            tokio::select! {
                Some(_ended) = self.open.join_next() => {}
                accepted = socket.listener.accept(), if self.open.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) => self.serve(stream),
                    Err(error) => {
                        tracing::warn!(%error, "a connection cannot be accepted");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        }
    }

    fn serve(&mut self, stream: UnixStream) {
        let (reader, writer) = stream.into_split();
        let mut stop = self.stop.subscribe();
        let stopped = Box::pin(async move { while stop.changed().await.is_ok() {} });
        self.open.spawn(pipe::serve(self.core.clone(), Box::pin(reader), Box::pin(writer), stopped));
    }

    /// Ends every connection in good order.
    async fn end(self) {
        let Self { stop, mut open, .. } = self;
        drop(stop);
        while open.join_next().await.is_some() {}
    }
}

//! A listener of its own for a server: TCP or a Unix socket, with limits, and an end in good order.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::future::BoxFuture;
use crate::http::serve::address::{Form, ListenAddress};
use crate::http::serve::connection::{self, Phase, Site, Times};
use crate::http::serve::guard::Allowed;
use crate::http::serve::newcomers::Newcomers;
use crate::http::serve::service::HttpService;
use crate::server::ServeError;
#[cfg(unix)]
use crate::server::socket::Socket;

/// How long a listener waits when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// A listener that serves an MCP endpoint over HTTP/1.1 and HTTP/2.
///
/// ```no_run
/// use diglot::Server;
/// use diglot::http::HttpServer;
///
/// # async fn example(stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("calculator", "1.0.0");
/// let listener = HttpServer::bind(server, ([127, 0, 0, 1], 8000)).await?;
/// println!("listening on {}", listener.url());
/// listener.with_graceful_shutdown(stop).serve().await?;
/// # Ok(())
/// # }
/// ```
pub struct HttpServer {
    service: HttpService,
    listener: Listener,
    path: String,
    times: Times,
    connections: usize,
    stop: BoxFuture<'static, ()>,
    grace: Duration,
}

enum Listener {
    Tcp(TcpListener, SocketAddr),
    #[cfg(unix)]
    Unix(Socket),
}

impl HttpServer {
    /// Listens on an address; port 0 lets the system choose one.
    ///
    /// On an address that other machines can reach, every host is allowed unless some are listed: there the server has
    /// names that only its operator knows.
    ///
    /// # Errors
    ///
    /// The address cannot be looked up or listened on.
    pub async fn bind(
        service: impl Into<HttpService>,
        address: impl Into<ListenAddress>,
    ) -> Result<Self, ServeError> {
        let (mut service, address) = (service.into(), address.into());
        let bound = match &address.0 {
            Form::Known(address) => TcpListener::bind(address).await,
            Form::Text(address) => TcpListener::bind(address).await,
        };
        let bound = bound.and_then(|listener| listener.local_addr().map(|address| (listener, address)));
        let (listener, own) =
            bound.map_err(|error| ServeError::Listen { place: address.to_string(), error })?;
        if !own.ip().to_canonical().is_loopback() {
            trust(&mut service);
        }
        Ok(Self::new(service, Listener::Tcp(listener, own)))
    }

    /// Listens on a Unix socket, to which only the user of this process may connect.
    ///
    /// The file of a server that is gone is replaced, and the own one is removed at the end.
    ///
    /// # Errors
    ///
    /// The path cannot be listened on, or another process listens on it.
    #[cfg(unix)]
    pub async fn bind_unix(
        service: impl Into<HttpService>,
        path: impl AsRef<std::path::Path>,
    ) -> Result<Self, ServeError> {
        let (mut service, path) = (service.into(), path.as_ref());
        let listener = Socket::bind(path)
            .map_err(|error| ServeError::Listen { place: path.display().to_string(), error })?;
        // No web page can reach a socket of the file system.
        trust(&mut service);
        Ok(Self::new(service, Listener::Unix(listener)))
    }

    fn new(service: HttpService, listener: Listener) -> Self {
        Self {
            service,
            listener,
            path: "/mcp".to_owned(),
            times: Times {
                head: Duration::from_secs(10),
                idle: Duration::from_secs(120),
                write: Duration::from_secs(60),
            },
            connections: 10_000,
            stop: Box::pin(std::future::pending()),
            grace: Duration::from_secs(10),
        }
    }

    /// Returns the address that is listened on; nothing for a Unix socket.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.listener {
            Listener::Tcp(_, address) => Some(*address),
            #[cfg(unix)]
            Listener::Unix(_) => None,
        }
    }

    /// Returns the URL of the endpoint; that of a Unix socket has the host `localhost`.
    pub fn url(&self) -> String {
        match self.local_addr() {
            Some(address) => format!("http://{address}{}", self.path),
            None => format!("http://localhost{}", self.path),
        }
    }

    /// Sets the path of the endpoint: `/mcp` unless set.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.path = format!("/{}", path.trim_matches('/'));
        self
    }

    /// Sets how long a connection may take until its first request has come: 10 s unless set.
    #[must_use]
    pub fn header_timeout(mut self, longest: Duration) -> Self {
        self.times.head = longest;
        self
    }

    /// Sets how long a connection may be without a request: 120 s unless set.
    #[must_use]
    pub fn idle_timeout(mut self, longest: Duration) -> Self {
        self.times.idle = longest;
        self
    }

    /// Sets how long a client may take none of what is sent to it: 60 s unless set. Its connection is closed then.
    #[must_use]
    pub fn write_timeout(mut self, longest: Duration) -> Self {
        self.times.write = longest;
        self
    }

    /// Sets the most connections at a time: 10 000 unless set.
    ///
    /// Past it, one that has not sent a request yet gives way to the next; where there is none, the next one waits.
    #[must_use]
    pub fn max_connections(mut self, most: usize) -> Self {
        self.connections = most.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        self
    }

    /// Ends when a future does: streams of changes are ended in good order, and other requests get some time; then the
    /// tasks that run in this process are cancelled.
    #[must_use]
    pub fn with_graceful_shutdown(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(stop);
        self
    }

    /// Sets how long requests get to end after that: 10 s unless set.
    #[must_use]
    pub fn shutdown_timeout(mut self, longest: Duration) -> Self {
        self.grace = longest;
        self
    }

    /// Serves until the end. Dropping the future closes every connection.
    ///
    /// # Errors
    ///
    /// None now: what fails fails a connection and not the listener.
    pub async fn serve(self) -> Result<(), ServeError> {
        let Self { service, listener, path, times, connections, stop, grace } = self;
        let room = Arc::new(Semaphore::new(connections));
        let (phase, _) = watch::channel(Phase::Serving);
        let site = Arc::new(Site { service, path, times });
        let mut newcomers = Newcomers::default();
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                () = stop.as_mut() => break,
                accepted = listener.accept() => accepted,
            };
            let io = match accepted {
                Ok(io) => io,
                Err(error) if is_of_one_connection(&error) => continue,
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    newcomers.dismiss_oldest();
                    tokio::time::sleep(NO_ROOM).await;
                    continue;
                }
            };
            if room.available_permits() == 0 {
                newcomers.dismiss_oldest();
            }
            let permit = tokio::select! {
                () = stop.as_mut() => break,
                permit = room.clone().acquire_owned() => permit.expect("nobody closes it"),
            };
            let (site, phase, activity) = (site.clone(), phase.subscribe(), newcomers.welcome());
            tokio::spawn(async move {
                connection::serve(io, site, phase, activity).await;
                drop(permit);
            });
        }
        drop(listener);
        phase.send_replace(Phase::Closing);
        site.service.end_streams();
        let all = u32::try_from(connections).unwrap_or(u32::MAX);
        // What is still under way after that is cut off.
        let _ = tokio::time::timeout(grace, room.acquire_many(all)).await;
        phase.send_replace(Phase::Closed);
        site.service.end_sessions();
        site.service.end_tasks().await;
        Ok(())
    }
}

/// Allows every host unless some are listed.
fn trust(service: &mut HttpService) {
    let hosts = &mut service.settings_mut().guard.hosts;
    if matches!(hosts, Allowed::These(listed) if listed.is_empty()) {
        *hosts = Allowed::Any;
    }
}

/// A byte stream of any kind.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    /// Waits for the next connection.
    async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener, _) => listener.accept().await.map(|(stream, _)| {
                // A result must not wait for an acknowledgement of what was sent before.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection keeps its delay");
                }
                Box::new(stream) as Box<dyn Stream>
            }),
            #[cfg(unix)]
            Self::Unix(socket) => {
                socket.listener.accept().await.map(|(stream, _)| Box::new(stream) as Box<dyn Stream>)
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("url", &self.url())
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

//! Serving over HTTP: one endpoint for both eras.
//!
//! A thin generic front collects the body; all behind it is compiled once. A handler runs inside the future of its
//! response, without a task or a channel, and inside the body where the answer becomes an event stream.

mod activity;
mod address;
mod alone;
mod answering;
mod batch;
mod collect;
mod connection;
mod endpoint;
mod frame;
mod guard;
mod http_sse;
mod legacy;
mod listen;
mod listener;
mod live;
mod mailbox;
mod newcomers;
mod patience;
mod reply;
mod service;
mod sessions;
mod settings;
mod wire;

use http::request::Parts;

use crate::server::{Context, ServeError, Server};

pub use self::address::ListenAddress;
pub use self::listener::HttpServer;
pub use self::service::HttpService;

impl Server {
    /// Makes the server a tower service that is an MCP endpoint of both eras.
    pub fn into_http_service(self) -> HttpService {
        HttpService::new(self.core())
    }

    /// Serves an address until the process ends, both eras at `/mcp`.
    ///
    /// [`HttpServer`] has more options, among them a graceful end.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub async fn serve_http(self, address: impl Into<ListenAddress>) -> Result<(), ServeError> {
        HttpServer::bind(self, address).await?.serve().await
    }

    /// Serves a Unix socket until the process ends, both eras at `/mcp`.
    ///
    /// Only this user may connect. A socket that nobody listens on any more is replaced.
    ///
    /// # Errors
    ///
    /// The path cannot be listened on.
    #[cfg(unix)]
    pub async fn serve_unix(self, path: impl AsRef<std::path::Path>) -> Result<(), ServeError> {
        HttpServer::bind_unix(self, path).await?.serve().await
    }
}

impl Context {
    /// Returns the head of the HTTP request, where the request came over HTTP.
    pub fn http_parts(&self) -> Option<&Parts> {
        self.parts()
    }
}

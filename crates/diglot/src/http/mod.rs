//! Streamable HTTP and HTTP+SSE: one implementation of the rules over any HTTP client.
//!
//! [`StreamableHttp`] is the transport. What moves its bytes is the stock client, a Unix socket, or a [`HttpClient`]
//! of the caller's; none of them knows a rule of the protocol.

mod adapter;
mod address;
mod answer;
mod cancel;
mod client;
mod drain;
mod endpoint;
mod fault;
mod http_sse;
mod reply;
mod request;
#[cfg(feature = "reqwest")]
mod reqwest;
mod resume;
mod secrets;
#[cfg(feature = "server")]
mod serve;
mod session;
mod standalone;
mod stream;
#[cfg(unix)]
mod unix;
mod wire;

pub use self::adapter::{Body, BoxError, HttpClient, Unsent};
pub use self::client::StreamableHttp;
pub use self::http_sse::HttpSse;
#[cfg(feature = "reqwest")]
pub use self::reqwest::StockClient;
#[cfg(feature = "server")]
pub use self::serve::{HttpServer, HttpService, ListenAddress};
#[cfg(unix)]
pub use self::unix::UnixSocket;

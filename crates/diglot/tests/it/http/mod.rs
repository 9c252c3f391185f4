//! The HTTP transports against a scripted server, the same behaviours over every client.
//!
//! [`suite!`] runs a behaviour three times: over the stock client, over a custom one, and over a Unix socket.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a behaviour that panics has failed its test"
)]

mod answers;
mod headers;
mod http_sse;
mod lifecycle;
mod net;
mod redirects;
mod refusals;
mod secrets;
mod server;
mod standalone;

/// Makes tests of behaviours, each an `async fn(Net)`, over every client.
macro_rules! suite {
    ($($behaviour:ident),* $(,)?) => {
        mod stock {
            $(#[tokio::test] async fn $behaviour() { crate::http::net::run($crate::http::net::Net::stock(), super::$behaviour).await; })*
        }
        mod custom {
            $(#[tokio::test] async fn $behaviour() { crate::http::net::run($crate::http::net::Net::custom(), super::$behaviour).await; })*
        }
        #[cfg(unix)]
        mod unix {
            $(#[tokio::test] async fn $behaviour() { crate::http::net::run($crate::http::net::Net::unix(), super::$behaviour).await; })*
        }
    };
}
use suite;

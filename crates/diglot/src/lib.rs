//! Model Context Protocol for both of its eras: a client that finds out which one a server speaks.
//!
//! ```no_run
//! use diglot::{ChildProcess, Client};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("demo", "1.0.0").connect(ChildProcess::new("my-server")).await?;
//! let sum: i64 = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?.parse()?;
//! println!("{sum}, over {} at {}", client.era(), client.revision());
//! println!("{}", client.negotiation());
//! # Ok(())
//! # }
//! ```
//!
//! The rules of the negotiation live in [`diglot_proto`], without I/O; this crate drives them over real wires.

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private;
#[cfg(feature = "client")]
pub mod client;
pub mod error;
mod future;
#[cfg(feature = "http")]
pub mod http;
mod limits;
#[cfg(all(doctest, feature = "client", feature = "reqwest"))]
mod readme;
#[cfg(any(feature = "client", feature = "server"))]
mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(feature = "client", feature = "server"))]
#[cfg(any(feature = "client", feature = "server"))]
mod skill;
pub mod transport;

#[cfg(feature = "macros")]
pub use diglot_macros::{prompt, tool, tools};
pub use diglot_proto::lifecycle::{Downgrade, DowngradePolicy, Evidence, Judgement, Mode, Negotiation, Row};
pub use diglot_proto::types::Implementation;
pub use diglot_proto::version::{Era, Revision};
pub use diglot_proto::{jsonrpc, lifecycle, types};

#[cfg(feature = "client")]
pub use client::{Client, ClientBuilder, EraStore};
pub use error::Error;
#[cfg(feature = "http")]
pub use http::{HttpSse, StreamableHttp};
pub use limits::Limits;
#[cfg(feature = "server")]
pub use schemars;
#[cfg(feature = "server")]
pub use server::{Context, Server, Tool, ToolError};
pub use transport::{ChildProcess, Transport};

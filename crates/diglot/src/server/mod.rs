//! The server: plain functions behind one endpoint that speaks both eras.
//!
//! A handler sees the modern shape only. What a binding (a pipe, HTTP) hands in is one message with its facts; what it
//! gets back is an outcome, and whatever the handler emits on the way goes through an `Outlet`. No
//! room of the server knows a transport.

pub(crate) mod answer;
mod arguments;
mod builder;
mod catalog;
mod completion;
mod content;
mod context;
pub(crate) mod core;
mod error;
#[cfg(feature = "http")]
pub(crate) mod events;
mod failure;
mod form;
pub(crate) mod handshake;
pub(crate) mod hub;
pub(crate) mod intake;
pub(crate) mod job;
mod listen;
pub(crate) mod outlet;
mod pipe;
mod prompt;
mod questions;
mod request_state;
mod resource;
mod result;
pub(crate) mod run;
pub(crate) mod session;
#[cfg(feature = "http")]
pub(crate) mod session_store;
mod settings;
pub(crate) mod skill;
#[cfg(unix)]
pub(crate) mod socket;
mod stdio;
mod store_error;
mod table;
pub(crate) mod task;
mod tool;
mod tools;
#[cfg(unix)]
mod unix_pipe;

pub use builder::{BadTool, Server};
pub use completion::{CompletionHandler, Partial};
pub use context::Context;
pub use diglot_proto::meta::TraceContext;
pub use error::ToolError;
pub use failure::ServeError;
pub use form::{BadForm, form_of};
pub use hub::{Change, ChangeFeed};
pub use prompt::{Prompt, PromptArguments, PromptHandler};
pub use resource::{Resource, ResourceHandler, ResourceTemplate};
pub use result::{IntoPrompt, IntoResource, IntoToolResult, Json, JsonWithText};
#[cfg(feature = "http")]
pub use session_store::{SessionLimits, SessionStore};
pub use settings::{CacheHint, Eras};
pub use skill::{Skill, SkillError};
pub use store_error::StoreError;
pub use task::{TaskLimits, TaskRecord, TaskStore};
pub use tool::{Tool, ToolHandler};
pub use tools::Tools;

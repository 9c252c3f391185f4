//! What every request may ask for beside its parameters, in one shape: a builder that is awaited.

use std::time::Duration;

use diglot_proto::types::{LogMessageParams, LoggingLevel, Members, Progress};
use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::client::cache::Caching;
use crate::error::Error;

/// A function that hears of progress.
pub(super) type ProgressListener = Box<dyn FnMut(Progress) + Send>;

/// A function that hears what the server logs about a request.
pub(super) type LogListener = Box<dyn FnMut(LogMessageParams) + Send>;

/// What a request may ask for beside its parameters.
#[derive(Default)]
pub(super) struct Options {
    /// How long the answer may take, where it differs from the client's setting.
    pub(super) timeout: Option<Duration>,
    /// How long the answer may take in all, where progress starts the time-out anew.
    pub(super) most: Option<Duration>,
    /// Who hears of progress; asking for it is what makes a server report it.
    pub(super) on_progress: Option<ProgressListener>,
    /// Who hears what the server logs about the request.
    pub(super) on_log: Option<LogListener>,
    /// From which level on a modern server logs about the request, where it differs from the client's setting.
    pub(super) log_level: Option<LoggingLevel>,
    /// Entries of `_meta` of the caller's own.
    pub(super) meta: Members,
    /// Whether an entry could not be written.
    pub(super) has_bad_meta: bool,
    /// The `Mcp-Param-*` headers, their values encoded.
    pub(super) param_headers: Vec<(String, String)>,
    /// Whether the caller says that a second sending does nothing twice, though the method does not.
    pub(super) is_repeatable: bool,
    /// Whether the request says that a task may be its answer, for a server of the modern era.
    pub(super) takes_task: bool,
    /// What the cache has to do with it.
    pub(super) caching: Caching,
}

impl Options {
    /// Adds an entry to `_meta`.
    pub(super) fn add_meta(&mut self, key: &str, value: &impl Serialize) {
        match to_raw_value(value) {
            Ok(raw) => self.meta.insert(key, raw),
            Err(_) => self.has_bad_meta = true,
        }
    }

    /// Tells whether the server has to be given a token for progress.
    pub(super) fn wants_progress(&self) -> bool {
        self.on_progress.is_some() || self.most.is_some()
    }

    /// Returns the error of what cannot be sent, if something cannot.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.has_bad_meta {
            true => Err(Error::Arguments("an entry of _meta cannot be written as JSON")),
            false => Ok(()),
        }
    }
}

/// Gives a request its options, and makes it something to await.
///
/// The type has a field `options` and an `async fn run(self)`.
macro_rules! request {
    ($name:ident -> $output:ty) => {
        impl $name {
            /// Sets how long the answer may take, in place of the client's setting.
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.options.timeout = Some(timeout);
                self
            }

            /// Lets progress start the time-out anew, up to so long in all.
            ///
            /// The server is asked for progress, whether or not somebody hears of it.
            pub fn timeout_reset_on_progress(mut self, most: std::time::Duration) -> Self {
                self.options.most = Some(most);
                self
            }

            /// Asks the server for progress, and hears of it.
            ///
            /// The function runs between two reads of the answer, so it should return quickly.
            pub fn on_progress(
                mut self,
                listener: impl FnMut(diglot_proto::types::Progress) + Send + 'static,
            ) -> Self {
                self.options.on_progress = Some(Box::new(listener));
                self
            }

            /// Sets from which level on the server logs about this request, in place of the client's setting.
            ///
            /// A legacy server has one level for all that it does; it takes no notice.
            pub fn log_level(mut self, level: diglot_proto::types::LoggingLevel) -> Self {
                self.options.log_level = Some(level);
                self
            }

            /// Hears what the server logs about this request, where the wire tells: on the stream of an HTTP answer.
            ///
            /// On a pipe a log message does not say what it is about. The function should return quickly.
            pub fn on_log(
                mut self,
                listener: impl FnMut(diglot_proto::types::LogMessageParams) + Send + 'static,
            ) -> Self {
                self.options.on_log = Some(Box::new(listener));
                self
            }

            /// Adds an entry to the request's `_meta`; raw JSON goes out byte for byte.
            ///
            /// What the protocol itself has to say there cannot be replaced. A request with entries of its own is never
            /// answered from the cache, since the answer may depend on them. One that cannot be written as JSON is the
            /// error of the request.
            pub fn meta(mut self, key: impl AsRef<str>, value: impl serde::Serialize) -> Self {
                self.options.add_meta(key.as_ref(), &value);
                self
            }
        }

        $crate::client::options::awaited!($name -> $output);
    };
}

/// Makes something to await of a type that has an `async fn run(self)`.
macro_rules! awaited {
    ($name:ident -> $output:ty) => {
        impl std::future::IntoFuture for $name {
            type Output = Result<$output, crate::error::Error>;
            type IntoFuture = std::pin::Pin<Box<dyn std::future::Future<Output = Self::Output> + Send>>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub(in crate::client) use {awaited, request};

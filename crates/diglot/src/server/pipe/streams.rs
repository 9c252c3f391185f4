//! The ends of a pipe, their types forgotten.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::future::BoxFuture;

/// The stream that a client writes to.
pub(crate) type Source = Pin<Box<dyn AsyncRead + Send>>;
/// The stream that a client reads.
pub(crate) type Sink = Pin<Box<dyn AsyncWrite + Send>>;
/// Ends the serving in good order when it is ready.
pub(crate) type Stop = BoxFuture<'static, ()>;

//! Tools and prompts that share one state.

use std::sync::Arc;

use crate::server::Server;

/// A type whose methods are tools and prompts: calls of all of them share one value of it.
///
/// The attribute `#[tools]` (feature `macros`) writes this; by hand, a closure takes hold of the state for each call.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use diglot::server::Tools;
/// use diglot::{Context, Server, Tool};
///
/// #[derive(Default)]
/// struct Counter(AtomicU64);
///
/// impl Tools for Counter {
///     fn register(self: Arc<Self>, server: Server) -> Server {
///         server.tool(Tool::new("next", move |_: Context| {
///             let counter = Arc::clone(&self);
///             async move { counter.0.fetch_add(1, Ordering::Relaxed) }
///         }))
///     }
/// }
///
/// let server = Server::new("counter", "1.0.0").tools(Counter::default());
/// ```
pub trait Tools: Send + Sync + 'static {
    /// Offers the tools and prompts.
    #[must_use]
    fn register(self: Arc<Self>, server: Server) -> Server;
}

/// State that something else holds too.
impl<T: Tools> Tools for Arc<T> {
    fn register(self: Arc<Self>, server: Server) -> Server {
        T::register(Arc::clone(&*self), server)
    }
}

impl Server {
    /// Offers tools and prompts that share one state; an `Arc` of it will do as well.
    #[must_use]
    pub fn tools(self, tools: impl Tools) -> Self {
        Arc::new(tools).register(self)
    }
}

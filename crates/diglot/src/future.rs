//! The future that object-safe traits return.

use std::future::Future;
use std::pin::Pin;

/// A future in a box, as the object-safe traits of this crate return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

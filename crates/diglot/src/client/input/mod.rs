//! What a server may ask of the client while it answers: forms, addresses, the model, the roots.
//!
//! Handlers are set once on the builder, and declare the capability. They see the same requests in both eras: a
//! modern server puts them into a result and is asked again with the answers, a legacy one sends requests.

mod form;
mod handlers;
mod rounds;

pub use handlers::{ElicitationHandler, RootsHandler, SamplingHandler};

pub(crate) use handlers::{Handlers, Place};
pub(crate) use rounds::{Round, next_params};

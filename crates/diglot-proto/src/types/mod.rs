//! The types of the specification, one file a word: lenient when read, strict when written.

mod discover;
mod implementation;
mod initialize;

pub use discover::{CacheScope, Discovery, DiscoveryFault};
pub use implementation::Implementation;
pub use initialize::{Initialization, InitializationFault};

//! The types of the specification, one file a word: lenient when read, strict when written.

mod capabilities;
mod content;
mod discover;
mod implementation;
mod initialize;
mod progress;
mod tool;

pub use capabilities::ServerCapabilities;
pub use content::Content;
pub use discover::{CacheScope, Discovery, DiscoveryFault};
pub use implementation::Implementation;
pub use initialize::{Initialization, InitializationFault};
pub use progress::Progress;
pub use tool::{LeftOut, ParseResultError, Tool, ToolResult};

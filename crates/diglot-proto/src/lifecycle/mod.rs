//! Which era a peer speaks: evidence, policies, and the negotiator that weighs one by the other.
//!
//! The flow is [`Evidence`] → [`Row`] (what it is) → [`Ruling`] (what the policy makes of it) → [`Step`] (what
//! the driver does next). The table of policies is in `policy.rs`; nothing here does I/O. The server's side is
//! [`classify`], which judges each message alone.

mod agreement;
pub mod classify;
mod evidence;
mod negotiate;
mod opening;
mod policy;
mod row;
mod step;
mod trail;
mod words;

pub use agreement::{Agreement, Failure, FailureKind};
pub use evidence::{Asked, Evidence, Seen};
pub use negotiate::Negotiator;
pub use opening::{Contradiction, Mode, Opening, Remembered};
pub use policy::{Downgrade, DowngradePolicy, Judgement, Ruling};
pub use row::Row;
pub use step::Step;
pub use trail::{Negotiation, Saw, TrailStep};

/// What kind of wire carries the messages, which decides how silence and ids are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binding {
    /// A pair of byte streams that all messages share: a child process, a socket, memory.
    Pipe,
    /// One HTTP exchange a message.
    Http,
}

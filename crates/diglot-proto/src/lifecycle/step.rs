//! What the driver of a negotiation has to do next.

use crate::lifecycle::{Agreement, Failure};
use crate::version::Revision;

/// The next move of a negotiation.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// Send `server/discover` at a revision, and report what comes back.
    Probe {
        /// The modern revision in the envelope.
        revision: Revision,
        /// Whether the transport must be opened anew first.
        fresh: bool,
    },
    /// Send `initialize` at a revision, and report what comes back.
    Initialize {
        /// The legacy revision to offer.
        revision: Revision,
        /// Whether the transport must be opened anew first, since the other end is gone.
        fresh: bool,
    },
    /// Open the deprecated HTTP+SSE transport in place of this one, and report how that went.
    OpenHttpSse,
    /// Go to work: the sides agree. In the legacy era, `notifications/initialized` is still to be sent.
    Agreed(Box<Agreement>),
    /// Give up, for this reason.
    Failed(Box<Failure>),
}

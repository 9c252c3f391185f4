//! How the news of a subscription end.

use crate::error::Error;

/// How the news ended.
pub(super) enum Ended {
    /// In good order, by the server.
    Over,
    /// For good, by the server or its mistake.
    Failed(Error),
    /// They broke off, and may be had again.
    Lost(Error),
}

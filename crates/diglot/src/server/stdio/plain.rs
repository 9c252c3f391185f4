//! The standard streams where they cannot be moved aside: threads read and write them.

use std::io;

use super::threads;
use crate::server::pipe::{Sink, Source};

/// The standard streams while a server uses them.
pub(super) struct Streams(threads::Written);

impl Streams {
    /// Begins to use the streams.
    pub(super) fn take() -> io::Result<(Self, Source, Sink)> {
        let source = threads::source(io::stdin())?;
        let (sink, written) = threads::sink(io::stdout())?;
        Ok((Self(written), source, sink))
    }

    /// Waits until all is written.
    pub(super) async fn give_back(self) {
        self.0.wait().await;
    }
}

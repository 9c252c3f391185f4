//! Reads the rest of bodies that nobody waits for, so that their connections can be used again.

use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::http::adapter::Body;

/// How much is read of a body that nobody waits for, in bytes.
const MOST: usize = 64 * 1024;

/// How long it is read.
const LONGEST: Duration = Duration::from_secs(1);

/// How many turns the tasks of the HTTP client get to bring the rest of a body, before it is left to the background.
const TURNS: usize = 4;

/// Reads a body to its end if that is at hand, else in the background; one past the bounds is cut off.
///
/// Whoever sends the next request then finds the connection free. What waits for a slow server is never the caller.
pub(super) async fn drain(body: Body) {
    let mut rest = Rest { body, left: MOST };
    for _ in 0..TURNS {
        if rest.is_over() {
            return;
        }
        yield_now().await;
    }
    rest.read_in_background();
}

/// Reads a body to its end in the background.
pub(super) fn drain_later(body: Body) {
    let mut rest = Rest { body, left: MOST };
    if !rest.is_over() {
        rest.read_in_background();
    }
}

/// What is left of a body that nobody waits for.
struct Rest {
    body: Body,
    left: usize,
}

impl Rest {
    /// Reads what is at hand, and tells whether there is no more to read.
    fn is_over(&mut self) -> bool {
        loop {
            match self.body.chunk_at_hand() {
                Poll::Ready(Some(Ok(chunk))) if chunk.len() <= self.left => self.left -= chunk.len(),
                Poll::Ready(_) => return true,
                Poll::Pending => return false,
            }
        }
    }

    fn read_in_background(mut self) {
        // Without a runtime there is nobody to read it, and dropping it costs no more than the connection.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(timeout(LONGEST, async move {
            while let Some(Ok(chunk)) = self.body.chunk().await
                && chunk.len() <= self.left
            {
                self.left -= chunk.len();
            }
        }));
    }
}

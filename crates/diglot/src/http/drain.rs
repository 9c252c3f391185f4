//! Reads the rest of bodies that nobody waits for, so that their connections can be used again.

use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::http::adapter::Body;

/// How much is read of a body that nobody waits for, in bytes.
const MOST: usize = 64 * 1024;

/// How long it is read.
const LONGEST: Duration = Duration::from_secs(1);

/// Reads a body to its end, in the background if need be; one that goes on past the bounds is cut off.
pub(super) fn drain(mut body: Body) {
    let mut left = MOST;
    loop {
        match body.chunk_at_hand() {
            Poll::Ready(Some(Ok(chunk))) if chunk.len() <= left => left -= chunk.len(),
            Poll::Ready(_) => return,
            Poll::Pending => break,
        }
    }
    // Without a runtime there is nobody to read it, and dropping it costs no more than the connection.
    let Ok(runtime) = Handle::try_current() else { return };
    runtime.spawn(timeout(LONGEST, async move {
        while let Some(Ok(chunk)) = body.chunk().await
            && chunk.len() <= left
        {
            left -= chunk.len();
        }
    }));
}

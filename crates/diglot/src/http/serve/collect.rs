//! The body of a request, collected within a limit and within a time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};
use tokio::time::Sleep;

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBody {
    /// It is longer than the limit.
    TooLong,
    /// It did not come in time.
    TooSlow,
    /// It broke off.
    Broken,
}

/// Collects a body. A body in one piece is not copied, and one that is there at once needs no timer.
pub(super) async fn collect<B>(body: B, limit: usize, time: Duration) -> Result<Bytes, NoBody>
where
    B: Body<Data = Bytes> + Send,
{
    let declared = body.size_hint();
    if usize::try_from(declared.lower()).is_ok_and(|length| length > limit) {
        return Err(NoBody::TooLong);
    }
    let mut body = pin!(body);
    let mut timer = None;
    let mut pieces = Pieces { first: Bytes::new(), all: BytesMut::new(), limit };
    while let Some(frame) = poll_fn(|context| poll(body.as_mut(), context, &mut timer, time)).await? {
        if let Ok(data) = frame.into_data() {
            pieces.add(data)?;
        }
    }
    Ok(pieces.into_bytes())
}

fn poll<B: Body<Data = Bytes>>(
    body: Pin<&mut B>,
    context: &mut Context<'_>,
    timer: &mut Option<Pin<Box<Sleep>>>,
    time: Duration,
) -> Poll<Result<Option<Frame<Bytes>>, NoBody>> {
    match body.poll_frame(context) {
        Poll::Ready(Some(Ok(frame))) => Poll::Ready(Ok(Some(frame))),
        Poll::Ready(Some(Err(_))) => Poll::Ready(Err(NoBody::Broken)),
        Poll::Ready(None) => Poll::Ready(Ok(None)),
        Poll::Pending => {
            let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
            timer.as_mut().poll(context).map(|()| Err(NoBody::TooSlow))
        }
    }
}

/// What has come of a body.
struct Pieces {
    first: Bytes,
    /// Everything, once there is more than one piece.
    all: BytesMut,
    limit: usize,
}

impl Pieces {
    fn add(&mut self, piece: Bytes) -> Result<(), NoBody> {
        if self.first.len() + self.all.len() + piece.len() > self.limit {
            return Err(NoBody::TooLong);
        }
        if self.first.is_empty() && self.all.is_empty() {
            self.first = piece;
            return Ok(());
        }
        self.all.extend_from_slice(&std::mem::take(&mut self.first));
        self.all.extend_from_slice(&piece);
        Ok(())
    }

    fn into_bytes(self) -> Bytes {
        match self.all.is_empty() {
            true => self.first,
            false => self.all.freeze(),
        }
    }
}

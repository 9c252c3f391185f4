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
///
/// Of a body over the limit as much again is read and dropped: a client that still writes would not see the refusal.
pub(super) async fn collect<B>(body: B, limit: usize, time: Duration) -> Result<Bytes, NoBody>
where
    B: Body<Data = Bytes> + Send,
{
    let most = limit.saturating_mul(2);
    if usize::try_from(body.size_hint().lower()).is_ok_and(|length| length > most) {
        return Err(NoBody::TooLong);
    }
    let mut body = pin!(body);
    let mut timer = None;
    let mut pieces = Pieces::default();
    while let Some(frame) = poll_fn(|context| poll(body.as_mut(), context, &mut timer, time)).await? {
        let Ok(data) = frame.into_data() else { continue };
        pieces.length = pieces.length.saturating_add(data.len());
        if pieces.length > most {
            return Err(NoBody::TooLong);
        }
        match pieces.length > limit {
            true => pieces.drop(),
            false => pieces.add(data),
        }
    }
    match pieces.length > limit {
        true => Err(NoBody::TooLong),
        false => Ok(pieces.into_bytes()),
    }
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
#[derive(Default)]
struct Pieces {
    first: Bytes,
    /// Everything, once there is more than one piece.
    all: BytesMut,
    length: usize,
}

impl Pieces {
    fn add(&mut self, piece: Bytes) {
        if self.first.is_empty() && self.all.is_empty() {
            self.first = piece;
            return;
        }
        self.all.extend_from_slice(&std::mem::take(&mut self.first));
        self.all.extend_from_slice(&piece);
    }

    fn drop(&mut self) {
        self.first = Bytes::new();
        self.all = BytesMut::new();
    }

    fn into_bytes(self) -> Bytes {
        match self.all.is_empty() {
            true => self.first,
            false => self.all.freeze(),
        }
    }
}

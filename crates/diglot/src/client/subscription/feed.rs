//! The task behind a subscription: it follows the news, and sets the subscription up again where they break off.

use std::sync::Arc;

use diglot_proto::http::resume::{ResumeBounds, Resumption};
use diglot_proto::version::Era;
use tokio::sync::oneshot;

use super::change::{Change, Interruption};
use super::ended::Ended;
use super::legacy::Held;
use super::listens::Subscriber;
use super::modern::Stream;
use super::{legacy, modern};
use crate::client::live::Inner;
use crate::client::remedy::{self, Failed, Remedy};
use crate::client::wire::Live;
use crate::error::{Error, LossCause, Lost, Reopening, TransportFault, Violation};

/// Where the news come from.
pub(super) struct Feed {
    live: Arc<Live>,
    /// The stream of a modern server; nothing in the legacy era.
    stream: Option<Stream>,
    /// What a legacy server was asked for.
    held: Held,
}

impl Feed {
    /// Asks for the news over a connection.
    async fn set_up(
        &mut self,
        inner: &Arc<Inner>,
        live: &Arc<Live>,
        subscriber: &Subscriber,
    ) -> Result<(), Failed> {
        // The old stream has ended; where it has not, this withdraws it.
        self.stream = None;
        match live.agreement.era() {
            Era::Legacy => legacy::set_up(inner, live, subscriber, &mut self.held).await?,
            _ => self.stream = Some(Stream::open(inner, live, subscriber).await?),
        }
        self.live = live.clone();
        Ok(())
    }
}

/// Sets a subscription up for the first time, over a connection that may prove to be lost.
pub(super) async fn begin(inner: &Arc<Inner>, subscriber: &Subscriber) -> Result<Feed, Error> {
    let live = inner.live();
    let mut feed = Feed { live: live.clone(), stream: None, held: Held::nothing(inner) };
    if let Err(failed) = feed.set_up(inner, &live, subscriber).await {
        match remedy_for(&failed, inner, &live) {
            Remedy::Tell => return Err(failed.error),
            Remedy::Repeat => {}
            Remedy::Reopen { cause, .. } => reopen(inner, &live, cause).await?,
        }
        feed.set_up(inner, &inner.live(), subscriber).await.map_err(|again| again.error)?;
    }
    Ok(feed)
}

/// Follows the news until they end for good, the client is closed, or nobody wants them any more.
pub(super) async fn follow(
    inner: Arc<Inner>,
    subscriber: Arc<Subscriber>,
    mut feed: Feed,
    stopped: oneshot::Receiver<()>,
) {
    tokio::select! {
        biased;
        () = inner.settings.listens.closed() => {
            subscriber.mailbox.end(None);
            return feed.held.forget();
        }
        _ = stopped => {}
        // Whoever waits for a change hears of the end before the server does.
        end = drive(&inner, &subscriber, &mut feed) => subscriber.mailbox.end(end),
    }
    feed.held.release().await;
}

/// Follows the news, and says why there are none any more; nothing where they ended in good order.
async fn drive(inner: &Arc<Inner>, subscriber: &Subscriber, feed: &mut Feed) -> Option<Error> {
    let mut resumption = Resumption::new(ResumeBounds::default());
    loop {
        let ended = match &mut feed.stream {
            Some(stream) => stream.read(inner, subscriber, &mut resumption).await,
            None => legacy::wait(inner, &feed.live).await,
        };
        let lost = match ended {
            Ended::Over => return None,
            Ended::Failed(error) => return Some(error),
            Ended::Lost(error) => error,
        };
        tracing::debug!(error = %lost, "the news of a subscription broke off");
        match again(inner, subscriber, feed, &mut resumption, lost).await {
            Ok(why) => subscriber.mailbox.push(Change::Interrupted(why)),
            Err(error) => return Some(error),
        }
    }
}

/// Sets a subscription up again, within the bounds.
async fn again(
    inner: &Arc<Inner>,
    subscriber: &Subscriber,
    feed: &mut Feed,
    resumption: &mut Resumption,
    mut last: Error,
) -> Result<Interruption, Error> {
    let broken = feed.live.clone();
    let mut tried = broken.clone();
    loop {
        // A connection that is new needs no patience.
        if Arc::ptr_eq(&tried, &inner.live()) {
            let Some(wait) = resumption.next_wait(None) else { return Err(last) };
            tokio::time::sleep(wait).await; // paused clock
        }
        let live = inner.live();
        let Err(failed) = feed.set_up(inner, &live, subscriber).await else {
            return Ok(match Arc::ptr_eq(&live, &broken) {
                true => Interruption::StreamLost,
                false => Interruption::Reconnected,
            });
        };
        match remedy_for(&failed, inner, &live) {
            Remedy::Tell if !is_passing(&failed.error, &live) => return Err(failed.error),
            Remedy::Tell | Remedy::Repeat => {}
            Remedy::Reopen { cause, .. } => reopen(inner, &live, cause).await?,
        }
        last = failed.error;
        tried = live;
    }
}

fn remedy_for(failed: &Failed, inner: &Inner, live: &Arc<Live>) -> Remedy {
    let is_present = Arc::ptr_eq(live, &inner.live());
    remedy::remedy(failed, live, inner.settings.restart, true, is_present)
}

async fn reopen(inner: &Arc<Inner>, live: &Arc<Live>, cause: LossCause) -> Result<(), Error> {
    match inner.reopen(live, cause.again()).await {
        Reopening::Done => Ok(()),
        reopening => Err(Lost::new(modern::METHOD, cause, reopening).into()),
    }
}

/// Tells whether another try may go better.
fn is_passing(error: &Error, live: &Live) -> bool {
    match error {
        Error::Timeout(_) => true,
        Error::Transport(error) => {
            // Whoever reads that stream has tried often enough.
            let is_given_up = error.fault == TransportFault::StreamLost;
            !is_given_up && live.wire.connection.failure().is_none()
        }
        Error::Http(error) => matches!(error.status, 408 | 425 | 429 | 500 | 502..=504),
        Error::Protocol(error) => matches!(error.violation, Violation::NoAnswer),
        _ => false,
    }
}

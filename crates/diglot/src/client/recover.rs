//! Opening a lost connection anew: once an incident, within limits, in the era that was agreed on.
//!
//! A task of its own does it, which every request that found the same loss waits for; a caller that goes away does not
//! end it. What a session was told before is told to the new one before any request sees it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use tokio::time::Instant;

use crate::client::connect;
use crate::client::live::Inner;
use crate::client::reconnect::ReconnectStep;
use crate::client::request::{Call, Options};
use crate::client::tries::{Tries, Try};
use crate::client::wire::Live;
use crate::error::{Error, LossCause, Reopening, TransportFault};

impl Inner {
    /// Opens a lost connection anew, unless another request just did, and says what became of it.
    pub(super) async fn reopen(self: &Arc<Self>, lost: &Arc<Live>, cause: LossCause) -> Reopening {
        let incident = self.recovery.incidents.load(Ordering::SeqCst);
        let task = tokio::spawn(recover(Arc::downgrade(self), lost.clone(), cause, incident));
        // It neither panics nor is it aborted, save with the whole runtime.
        task.await.unwrap_or_else(|_| Reopening::Failed(Arc::new(Error::Closed)))
    }

    /// Opens a wire anew as soon as it ends, so that what the server says by itself goes on being heard.
    pub(super) fn watch(self: &Arc<Self>, live: &Arc<Live>) {
        if !live.recovers(self.settings.restart) {
            return;
        }
        let (inner, live, mut over) = (Arc::downgrade(self), Arc::downgrade(live), live.wire.over.clone());
        tokio::spawn(async move {
            // Nothing is ever sent; the error is that the listener is gone, which is what is waited for.
            let _ = over.changed().await;
            let Some(live) = live.upgrade() else { return };
            let Some(failure) = live.wire.connection.failure() else { return };
            let incidents = |inner: Arc<Inner>| inner.recovery.incidents.load(Ordering::SeqCst);
            let Some(incident) = inner.upgrade().map(incidents) else { return };
            recover(inner, live, LossCause::Wire(Box::new(failure)), incident).await;
        });
    }

    /// Opens anew, once, and puts the new wire in the place of the lost one.
    async fn replace_lost(self: &Arc<Self>, lost: &Arc<Live>, cause: &LossCause) -> Result<(), Error> {
        let live = match cause {
            LossCause::Memory => {
                if let (Some(store), Some(key)) = (&self.settings.store, self.transport.key()) {
                    store.forget(&key).await;
                }
                lost.wire.connection.close().await;
                connect::negotiate(&self.transport, &self.settings, &self.ids, None).await?
            }
            _ => {
                let era = lost.agreement.era();
                connect::reopen(&lost.transport, &self.settings, &self.ids, era).await?
            }
        };
        let live = Arc::new(live);
        let not_restored = self.restore(&live).await;
        self.recovery.note(cause);
        self.replace(live.clone());
        self.watch(&live);
        if matches!(cause, LossCause::Session(_)) {
            // What is still under way on the old session is answered by nobody any more.
            lost.wire.connection.close().await;
        }
        if self.recovery.is_stopped() {
            live.wire.connection.close().await;
        }
        let revision = live.agreement.revision;
        self.settings.on_reconnect.tell(cause, ReconnectStep::Reopened { revision, not_restored });
        Ok(())
    }

    /// Tells a new session what the old one was told; returns the methods that it did not accept.
    async fn restore(&self, live: &Arc<Live>) -> Vec<String> {
        let mut not_restored = Vec::new();
        for kept in self.restoration.all() {
            let call = Call {
                method: kept.method.into(),
                params: Some(kept.params),
                is_safe: true,
                takes_input: false,
            };
            if let Err(failed) = self.exchange(live, &call, &mut Options::default()).await {
                tracing::warn!(method = kept.method, error = %failed.error, "not set again");
                not_restored.push(kept.method.to_owned());
            }
        }
        not_restored
    }
}

/// Deals with a loss when its turn comes, unless it was dealt with before.
async fn recover(inner: Weak<Inner>, lost: Arc<Live>, cause: LossCause, incident: u64) -> Reopening {
    let closed = || Reopening::Failed(Arc::new(Error::Closed));
    let Some((turn, mut stopped)) =
        inner.upgrade().map(|inner| (inner.recovery.turn.clone(), inner.recovery.stopped.subscribe()))
    else {
        return closed();
    };
    let mut turn = turn.lock_owned().await;
    {
        let Some(inner) = inner.upgrade() else { return closed() };
        if !Arc::ptr_eq(&lost, &inner.live()) {
            return Reopening::Done;
        }
        let is_dealt_with = inner.recovery.incidents.load(Ordering::SeqCst) != incident;
        if let Some(last) = turn.last.clone().filter(|_| is_dealt_with) {
            return last;
        }
    }
    let outcome = tokio::select! {
        biased;
        _ = stopped.wait_for(|stopped| *stopped) => return closed(),
        outcome = try_in_turn(&inner, &lost, &cause, &mut turn.tries) => outcome,
    };
    turn.last = Some(outcome.clone());
    if let Some(inner) = inner.upgrade() {
        inner.recovery.incidents.fetch_add(1, Ordering::SeqCst);
        if !matches!(outcome, Reopening::Done) {
            inner.settings.on_reconnect.tell(&cause, ReconnectStep::GaveUp(outcome.clone()));
        }
    }
    outcome
}

/// Tries until it is open, or a limit is met. While it waits, nothing keeps the client alive.
async fn try_in_turn(
    inner: &Weak<Inner>,
    lost: &Arc<Live>,
    cause: &LossCause,
    tries: &mut Tries,
) -> Reopening {
    let mut failed = None;
    loop {
        let wait = {
            let Some(inner) = inner.upgrade() else { return Reopening::Failed(Arc::new(Error::Closed)) };
            let limits = &inner.settings.limits;
            let leave = match cause {
                LossCause::Wire(_) => tries.wire(Instant::now(), limits),
                _ => tries.session(Instant::now(), limits),
            };
            let Try { attempt, wait } = match leave {
                Ok(leave) => leave,
                // Why it failed says more than that there were enough tries.
                Err(over_limit) => return failed.map_or(over_limit, Reopening::Failed),
            };
            inner.settings.on_reconnect.tell(cause, ReconnectStep::Trying { attempt, wait });
            wait
        };
        tokio::time::sleep(wait).await; // paused clock
        let Some(inner) = inner.upgrade() else { return Reopening::Failed(Arc::new(Error::Closed)) };
        match inner.replace_lost(lost, cause).await {
            Ok(()) => return Reopening::Done,
            Err(error) if is_transient(&error) && matches!(cause, LossCause::Wire(_)) => {
                failed = Some(Arc::new(error));
            }
            Err(error) => return Reopening::Failed(Arc::new(error)),
        }
    }
}

/// Tells whether another try may go better.
fn is_transient(error: &Error) -> bool {
    match error {
        Error::Transport(detail) => {
            !matches!(detail.fault, TransportFault::CommandNotFound | TransportFault::OnlyOnce)
        }
        Error::Timeout(_) => true,
        Error::Http(detail) => matches!(detail.status, 404 | 408 | 425 | 429 | 500..),
        _ => false,
    }
}

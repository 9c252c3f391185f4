//! What to do about a failed request: decided from the failure alone, before anything is done.

use crate::client::failure;
use crate::client::reconnect::Restart;
use crate::client::wire::Live;
use crate::error::{Error, LossCause, LostSession, TransportFault};
use crate::transport::{Binding, HttpReply, Inbound};

/// A request that failed, with what that says about its session.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: Error,
    lost_session: Option<LostSession>,
}

/// What to do about it.
#[derive(Debug)]
pub(super) enum Remedy {
    /// Nothing: the failure is the caller's to know.
    Tell,
    /// Send it again over the same wire.
    Repeat,
    /// Open the connection anew, then send the request again if that `repeats` nothing.
    Reopen { cause: LossCause, repeats: bool },
}

impl<E: Into<Error>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self { error: error.into(), lost_session: None }
    }
}

impl Failed {
    /// Notes what an answer says about the session, and makes its error.
    pub(super) fn of(inbound: Inbound, error: impl FnOnce(Inbound) -> Error) -> Self {
        let lost_session = match &inbound {
            Inbound::Http(reply) => lost_session(reply),
            _ => None,
        };
        Self { error: error(inbound), lost_session }
    }
}

/// Reads an answer as one that says that the session is gone.
pub(super) fn lost_session(reply: &HttpReply) -> Option<LostSession> {
    let mut lost = LostSession::new(reply.status, reply.lost_session?);
    lost.excerpt.clone_from(&reply.excerpt);
    Some(lost)
}

/// Decides what to do about a request that failed on a wire.
///
/// `is_safe` says that sending it twice does nothing twice; `present` that the wire was not replaced meanwhile.
pub(super) fn remedy(failed: &Failed, live: &Live, restart: Restart, is_safe: bool, present: bool) -> Remedy {
    if live.agreement.assumed && failure::doubts_the_era(&failed.error) {
        // A refusal by protocol did nothing; a process that died may have.
        let is_refusal = !matches!(failed.error, Error::Transport(_));
        return Remedy::Reopen { cause: LossCause::Memory, repeats: is_refusal || is_safe };
    }
    if let Some(lost) = &failed.lost_session {
        // The server did nothing, but what an unsafe request builds upon may be gone with the session.
        return Remedy::Reopen { cause: LossCause::Session(lost.clone()), repeats: is_safe };
    }
    let Error::Transport(error) = &failed.error else { return Remedy::Tell };
    let repeats = is_safe || !error.sent;
    let has_ended = live.wire.connection.failure().is_some();
    if has_ended || !present {
        return match live.recovers(restart) || !present {
            true => Remedy::Reopen { cause: LossCause::Wire(Box::new(error.again())), repeats },
            false => Remedy::Tell,
        };
    }
    // Over HTTP a connection that was kept for later may be gone by the time it is used.
    let is_lost = matches!(error.fault, TransportFault::Broken | TransportFault::Client);
    match live.binding == Binding::Http && is_lost && error.status.is_none() && repeats {
        true => Remedy::Repeat,
        false => Remedy::Tell,
    }
}

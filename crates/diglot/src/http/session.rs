//! The session that a legacy server minted: taken from the answer to `initialize`, sent ever after, ended at the close.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ::http::{HeaderMap, HeaderValue};
use diglot_proto::http::headers::SESSION_ID;
use diglot_proto::version::{Era, Revision};

use crate::transport::Outbound;

/// The longest session id that is taken, in bytes.
const LONGEST: usize = 1024;

/// An id that a server minted: visible ASCII, within bounds.
#[derive(Clone)]
pub(super) struct SessionId(HeaderValue);

impl SessionId {
    /// Reads the id out of the headers of an answer, unless there is none that could be sent back.
    fn read(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(SESSION_ID)?;
        let is_sound = !value.is_empty() && value.len() <= LONGEST;
        if !is_sound || !value.as_bytes().iter().all(u8::is_ascii_graphic) {
            tracing::warn!("the server minted a session id that cannot be sent back");
            return None;
        }
        let mut value = value.clone();
        value.set_sensitive(true);
        Some(Self(value))
    }
}

impl From<SessionId> for HeaderValue {
    fn from(session: SessionId) -> Self {
        session.0
    }
}

/// How a request stood to the session of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It carried the id.
    Within,
    /// It belongs to one and carried no id, because the server gave none, or its id was lost on the way.
    WithoutId,
    /// It has nothing to do with a session: it opens one, or is modern.
    Outside,
}

/// What a connection remembers of its session.
#[derive(Default)]
pub(super) struct Session {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    id: Option<SessionId>,
    revision: Option<Revision>,
    /// Whether the server does not know the session any more, so that there is nothing to end.
    is_lost: bool,
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the id that a message carries and how it stands, and notes the revision that its server was agreed with.
    pub(super) fn of(&self, outbound: &Outbound) -> (Option<SessionId>, Standing) {
        let is_modern = outbound.revision.is_some_and(|revision| revision.era() == Era::Modern);
        if outbound.is_opening || is_modern {
            return (None, Standing::Outside);
        }
        let mut state = self.state();
        state.revision = outbound.revision.or(state.revision);
        let standing = if state.id.is_some() { Standing::Within } else { Standing::WithoutId };
        (state.id.clone(), standing)
    }

    /// Returns the id and the revision of the moment, for a request that carries no message.
    pub(super) fn at_hand(&self) -> (Option<SessionId>, Option<Revision>) {
        let state = self.state();
        (state.id.clone(), state.revision)
    }

    /// Takes the id that came with a successful answer to `initialize`; an answer without one ends what was there.
    pub(super) fn begin(&self, outbound: &Outbound, headers: &HeaderMap) {
        if outbound.method == "initialize" && outbound.is_opening {
            self.state().id = SessionId::read(headers);
        }
    }

    /// Notes that the server does not know the session any more. Messages under way keep its id to the end.
    pub(super) fn lose(&self) {
        self.state().is_lost = true;
    }

    /// Takes the id out, with the revision, to end the session, unless the server has ended it.
    pub(super) fn end(&self) -> Option<(SessionId, Option<Revision>)> {
        let mut state = self.state();
        state.id.take().filter(|_| !state.is_lost).map(|id| (id, state.revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(id: &[u8]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_ID, HeaderValue::from_bytes(id).unwrap());
        let session = Session::default();
        session.begin(&Outbound::request(1.into(), "initialize", None).opening(), &headers);
        session.end().is_some()
    }

    #[test]
    fn an_id_is_visible_ascii_within_bounds() {
        assert!(begun(b"1868a90c-7c2d"));
        assert!(begun(&[b'a'; LONGEST]));
        assert!(!begun(&[b'a'; LONGEST + 1]));
        assert!(!begun(b""));
        assert!(!begun(b"a b"));
        assert!(!begun("é".as_bytes()));
    }

    #[test]
    fn only_initialize_begins_a_session() {
        let headers = HeaderMap::from_iter([(SESSION_ID.parse().unwrap(), HeaderValue::from_static("one"))]);
        let session = Session::default();
        session.begin(&Outbound::request(1.into(), "tools/list", None), &headers);
        session.begin(&Outbound::request(1.into(), "server/discover", None).opening(), &headers);
        assert!(session.end().is_none());
    }
}

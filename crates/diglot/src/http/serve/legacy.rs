//! Requests of the legacy era: `initialize` opens a session, and all that follows names it.

use std::sync::Arc;

use diglot_proto::jsonrpc::{Id, RpcError, codes};
use diglot_proto::method::Method;
use diglot_proto::version::{Era, Revision};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::value::RawValue;

use crate::http::serve::alone::{handler, written};
use crate::http::serve::answering::{Answering, Handler};
use crate::http::serve::endpoint::{Endpoint, Letter};
use crate::http::serve::frame;
use crate::http::serve::live::{Lane, Live};
use crate::http::serve::reply::{self, Reply};
use crate::http::serve::sessions::Sessions;
use crate::server::events::{MOST_RUNNING, NotTaken};
use crate::server::handshake;
use crate::server::intake::{LegacyWork, Work};

impl Endpoint {
    /// Answers `initialize`, and opens a session unless there are none.
    pub(super) async fn initialize(&self, letter: &Letter, id: Id, params: Option<&RawValue>) -> Reply {
        if let Some(refusal) = letter.refusal(&id) {
            return refusal;
        }
        let (outcome, session) = match handshake::initialize(&self.core, params) {
            Ok(opened) => opened,
            Err(error) => return reply::error(StatusCode::OK, Some(&id), &error),
        };
        let live = match &self.sessions {
            None => None,
            Some(sessions) => match sessions.open(Some(session), letter.facts.principal.clone()).await {
                Some(live) => Some(live),
                None => return too_many_sessions(Some(&id)),
            },
        };
        let answer = written(&self.core, &id, &outcome, Era::Legacy);
        let mut reply = match letter.accept.json {
            true => reply::json(StatusCode::OK, answer.body),
            false => {
                let mut text = Vec::new();
                frame::message(&mut text, &answer.body);
                reply::event_stream(text.into())
            }
        };
        if let Some(live) = live {
            let value = HeaderValue::from_str(&live.id).expect("the id is made of digits");
            reply.headers_mut().insert(HeaderName::from_static("mcp-session-id"), value);
        }
        reply
    }

    /// Answers a legacy request.
    pub(super) async fn legacy(&self, letter: &Letter, work: LegacyWork) -> Reply {
        if let Some(refusal) = letter.refusal(&work.id) {
            return refusal;
        }
        let Some(sessions) = &self.sessions else {
            return match LegacyWork::of(work, Err(self.assumed()), letter.facts.clone()) {
                Ok(work) => self.alone(letter, work).await,
                Err(rejection) => reply::rejected(&rejection),
            };
        };
        let live = match self.session(sessions, letter, Some(&work.id)).await {
            Ok(live) => live,
            Err(refusal) => return refusal,
        };
        let session = live.session().cloned().ok_or(Revision::V2024_11_05);
        match LegacyWork::of(work, session, letter.facts.clone()) {
            Ok(work) => self.in_session(letter, live, work).await,
            Err(rejection) => reply::rejected(&rejection),
        }
    }

    /// Returns the revision of a request that says nothing of it and has no session that would.
    fn assumed(&self) -> Revision {
        let offered = self.core.settings.legacy();
        let usual = Some(Revision::V2025_03_26).filter(|usual| offered.contains(usual));
        usual.or(offered.iter().copied().max()).unwrap_or(Revision::V2025_03_26)
    }

    /// Finds the session that a request names.
    pub(super) async fn session(
        &self,
        sessions: &Arc<Sessions>,
        letter: &Letter,
        id: Option<&Id>,
    ) -> Result<Arc<Live>, Reply> {
        let Some(named) = letter.session_id() else {
            let what = "Bad Request: Mcp-Session-Id header is required";
            return Err(reply::invalid(StatusCode::BAD_REQUEST, id, what));
        };
        let found = sessions.find(named, letter.facts.principal.as_deref()).await;
        found.ok_or_else(|| reply::invalid(StatusCode::NOT_FOUND, id, "Session not found"))
    }

    async fn in_session(&self, letter: &Letter, live: Arc<Live>, work: Work) -> Reply {
        let number = match live.streams.open(vec![work.id.clone()], letter.accept.event_stream) {
            Ok(number) => number,
            Err(not_taken) => return refused(not_taken, Some(&work.id)),
        };
        let changes_record =
            matches!(work.method, Method::SetLevel | Method::Subscribe | Method::Unsubscribe);
        let lane = Lane::of_request(live.clone(), number);
        let handler = handler(self.core.clone(), work.through(lane.clone()));
        let handler = if changes_record { self.saving(handler, live) } else { handler };
        Answering::new(handler, lane, letter.accept, self.settings.silence).await
    }

    /// Keeps the record of the session after a request that changes it.
    fn saving(&self, handler: Handler, live: Arc<Live>) -> Handler {
        let sessions = self.sessions.clone();
        Box::pin(async move {
            let answer = handler.await;
            if let Some(sessions) = sessions {
                sessions.save(&live).await;
            }
            answer
        })
    }

    /// Takes a message that wants no answer, and does with its session what it asks for.
    pub(super) async fn note(&self, letter: &Letter, act: impl FnOnce(&Live)) -> Reply {
        let Some(sessions) = self.sessions.as_ref().filter(|_| !letter.is_modern()) else {
            return reply::empty(StatusCode::ACCEPTED);
        };
        match self.session(sessions, letter, None).await {
            Ok(live) => {
                act(&live);
                reply::empty(StatusCode::ACCEPTED)
            }
            Err(refusal) => refusal,
        }
    }

    /// Ends the session that a request names.
    pub(super) async fn end_session(&self, letter: &Letter) -> Reply {
        let Some(sessions) = &self.sessions else { return reply::not_allowed("POST") };
        match self.session(sessions, letter, None).await {
            Ok(live) => {
                sessions.end(&live).await;
                reply::empty(StatusCode::NO_CONTENT)
            }
            Err(refusal) => refusal,
        }
    }
}

/// Refuses to open a session.
pub(super) fn too_many_sessions(id: Option<&Id>) -> Reply {
    let error = RpcError::new(codes::INTERNAL_ERROR, "too many sessions are in use; try again later");
    reply::error(StatusCode::SERVICE_UNAVAILABLE, id, &error)
}

/// Refuses a request that its session does not take.
pub(super) fn refused(not_taken: NotTaken, id: Option<&Id>) -> Reply {
    match not_taken {
        NotTaken::Duplicate => {
            let what = "Invalid Request: a request with this id is under way";
            reply::invalid(StatusCode::BAD_REQUEST, id, what)
        }
        NotTaken::TooMany => {
            let what = format!("Too many requests: {MOST_RUNNING} of this session are under way");
            reply::invalid(StatusCode::TOO_MANY_REQUESTS, id, what)
        }
        NotTaken::Ended => reply::invalid(StatusCode::NOT_FOUND, id, "Session not found"),
    }
}

//! HTTP+SSE, the deprecated transport of revision 2024-11-05: one stream carries all answers, and a POST each message.
//!
//! The session is open as long as the stream is. It carries the legacy era only.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use diglot_proto::jsonrpc::{self, Id, Parsed, RpcError, codes, write_error};
use diglot_proto::lifecycle::classify::Rejection;
use diglot_proto::version::{Era, Revision};
use http::{Method, StatusCode};
use serde_json::value::RawValue;

use crate::future::BoxFuture;
use crate::http::serve::alone::{handler, written};
use crate::http::serve::answering::{EventBody, Handler};
use crate::http::serve::collect::NoBody;
use crate::http::serve::endpoint::{Endpoint, Letter};
use crate::http::serve::legacy::{refused, too_many_sessions};
use crate::http::serve::live::{Lane, Live};
use crate::http::serve::reply::{self, Reply};
use crate::http::serve::sessions::Sessions;
use crate::server::events::UNSOLICITED;
use crate::server::handshake;
use crate::server::intake::{Intake, LegacyWork, take_in};

/// The parameter of the messages' address that names the session.
const PARAMETER: &str = "sessionId";

/// Which of the two addresses a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Stream,
    Messages,
}

impl Endpoint {
    /// Tells whether a request is one of the deprecated transport.
    pub(super) fn http_sse_way(&self, letter: &Letter) -> Option<Way> {
        let paths = self.settings.http_sse.as_ref()?;
        let path = letter.parts.uri.path();
        match (path == paths.stream, path == paths.messages) {
            (true, _) => Some(Way::Stream),
            (_, true) => Some(Way::Messages),
            _ => None,
        }
    }

    /// Answers a request of the deprecated transport.
    pub(super) async fn http_sse(
        self: &Arc<Self>,
        letter: Letter,
        way: Way,
        body: BoxFuture<'static, Result<Bytes, NoBody>>,
    ) -> Reply {
        let Some(sessions) = &self.sessions else { return reply::empty(StatusCode::NOT_FOUND) };
        match (way, &letter.parts.method) {
            (Way::Stream, &Method::GET) => self.open_http_sse(sessions, &letter).await,
            (Way::Stream, _) => reply::not_allowed("GET"),
            (Way::Messages, &Method::POST) => {
                let live = match self.http_sse_session(sessions, &letter).await {
                    Ok(live) => live,
                    Err(refusal) => return refusal,
                };
                match body.await {
                    Ok(body) => self.post_http_sse(&letter, &live, &body),
                    Err(no_body) => self.no_message(no_body),
                }
            }
            (Way::Messages, _) => reply::not_allowed("POST"),
        }
    }

    /// Opens a session with its stream, whose first event says where to send messages.
    async fn open_http_sse(&self, sessions: &Arc<Sessions>, letter: &Letter) -> Reply {
        if !letter.accept.event_stream {
            return reply::not_acceptable(None, "the client must accept text/event-stream");
        }
        let principal = letter.facts.principal.clone();
        let Some(live) = sessions.open(None, principal).await else { return too_many_sessions(None) };
        let left = Left { sessions: sessions.clone(), live: live.clone() };
        let (Some(reading), Some(paths)) = (live.streams.attach(UNSOLICITED, None), &self.settings.http_sse)
        else {
            return reply::empty(StatusCode::NOT_FOUND);
        };
        let head = format!("event: endpoint\ndata: {}?{PARAMETER}={}\n\n", paths.messages, live.id);
        let lane = Lane::read_by(live.clone(), reading);
        let changes = self.tell_changes(live);
        EventBody::listening(changes, lane, head.into_bytes(), self.settings.silence).guarded(left).reply()
    }

    async fn http_sse_session(&self, sessions: &Arc<Sessions>, letter: &Letter) -> Result<Arc<Live>, Reply> {
        let query = letter.parts.uri.query().unwrap_or_default();
        let named = query.split('&').find_map(|pair| pair.strip_prefix(PARAMETER)?.strip_prefix('='));
        let Some(named) = named else {
            let what = format!("Bad Request: the parameter {PARAMETER} is required");
            return Err(reply::invalid(StatusCode::BAD_REQUEST, None, what));
        };
        let found = sessions.find(named, letter.facts.principal.as_deref()).await;
        found.ok_or_else(|| reply::invalid(StatusCode::NOT_FOUND, None, "Session not found"))
    }

    /// Takes a message; what is to be said to it comes over the stream.
    fn post_http_sse(&self, letter: &Letter, live: &Arc<Live>, body: &[u8]) -> Reply {
        let message = match jsonrpc::parse(body) {
            Ok(Parsed::One(message)) => message,
            Ok(_) => {
                let what = "Invalid Request: a batch is not accepted here";
                return reply::invalid(StatusCode::BAD_REQUEST, None, what);
            }
            Err(unreadable) => return reply::rejected(&Rejection::from(&unreadable)),
        };
        match take_in(&self.core, &message, None, &letter.facts) {
            Intake::Initialize(id, params) => self.begin_http_sse(live, &id, params.as_deref()),
            Intake::Legacy(work) => return self.run_http_sse(letter, live, work),
            Intake::Modern(work) => {
                let what = "this transport carries the revisions before 2026-07-28 only";
                return reply::invalid(StatusCode::BAD_REQUEST, Some(&work.id), what);
            }
            Intake::Cancel(id) => {
                // One that has ended meanwhile cannot be withdrawn.
                let _ = live.streams.cancel(&id);
            }
            Intake::Answer(response) => live.answered(response),
            Intake::Noted => {}
            Intake::Refused(rejection) => return reply::rejected(&rejection),
        }
        reply::empty(StatusCode::ACCEPTED)
    }

    fn begin_http_sse(&self, live: &Live, id: &Id, params: Option<&RawValue>) {
        let began = handshake::initialize(&self.core, params).and_then(|(outcome, session)| {
            let what = "Invalid Request: the session is initialized already";
            let repeated = || RpcError::new(codes::INVALID_REQUEST, what);
            live.begin(session).then_some(outcome).ok_or_else(repeated)
        });
        let answer = match began {
            Ok(outcome) => written(&self.core, id, &outcome, Era::Legacy).body,
            Err(error) => write_error(Some(id), &error),
        };
        say(live, answer);
    }

    fn run_http_sse(&self, letter: &Letter, live: &Arc<Live>, work: LegacyWork) -> Reply {
        let session = live.session().cloned().ok_or(Revision::V2024_11_05);
        let work = match LegacyWork::of(work, session, letter.facts.clone()) {
            Ok(work) => work,
            Err(rejection) => {
                say(live, rejection.body());
                return reply::empty(StatusCode::ACCEPTED);
            }
        };
        let number = match live.streams.open(vec![work.id.clone()], false) {
            Ok(number) => number,
            Err(not_taken) => return refused(not_taken, Some(&work.id)),
        };
        let handler = handler(self.core.clone(), work.through(Lane::of_request(live.clone(), UNSOLICITED)));
        tokio::spawn(run(live.clone(), number, handler));
        reply::empty(StatusCode::ACCEPTED)
    }
}

/// Runs a request until its end or its withdrawal, whichever comes first.
async fn run(live: Arc<Live>, number: u32, mut handler: Handler) {
    let answer = poll_fn(|context| match live.streams.is_cut(number, context) {
        true => Poll::Ready(None),
        false => handler.as_mut().poll(context),
    })
    .await;
    live.streams.forget(number);
    if let Some(answer) = answer {
        say(&live, answer.body);
    }
}

/// Says something over the stream; a client that reads too little to be answered loses its session.
fn say(live: &Live, message: Vec<u8>) {
    if !live.streams.push(UNSOLICITED, message) {
        live.end();
    }
}

/// Ends the session of a stream whose client left.
struct Left {
    sessions: Arc<Sessions>,
    live: Arc<Live>,
}

impl Drop for Left {
    fn drop(&mut self) {
        self.sessions.leave(&self.live);
    }
}

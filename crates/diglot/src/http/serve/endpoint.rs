//! The MCP endpoint: what a request asks for by its method, and each message of its body by itself.

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;
use diglot_proto::http::accept::Accept;
use diglot_proto::http::headers::{SESSION_ID, is_json};
use diglot_proto::http::mirror::Field;
use diglot_proto::jsonrpc::{self, Id, Parsed};
use diglot_proto::lifecycle::classify::{self, Head, Rejection, Verb, verb};
use diglot_proto::version::{Era, Revision};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::future::BoxFuture;
use crate::http::serve::collect::NoBody;
use crate::http::serve::live::Live;
use crate::http::serve::reply::{self, Reply};
use crate::http::serve::sessions::Sessions;
use crate::http::serve::settings::Settings;
use crate::server::core::Core;
use crate::server::intake::{Intake, take_in, take_in_batch};
use crate::server::job::{self, Facts};

/// Answers the requests of one endpoint.
pub(super) struct Endpoint {
    pub(super) core: Arc<Core>,
    pub(super) settings: Arc<Settings>,
    /// Nothing where legacy requests are answered without sessions.
    pub(super) sessions: Option<Arc<Sessions>>,
}

/// What is known of a request beside its body.
pub(super) struct Letter {
    pub(super) parts: Arc<Parts>,
    pub(super) accept: Accept,
    pub(super) facts: Facts,
}

/// What a body holds.
enum Taken {
    One(Intake),
    Batch(Vec<Intake>),
}

impl Endpoint {
    pub(super) fn new(core: Arc<Core>, settings: Arc<Settings>) -> Arc<Self> {
        let limits = settings.sessions.clone().filter(|_| core.offer().is_legacy());
        let sessions = limits.map(|limits| Sessions::new(limits, settings.store.clone()));
        Arc::new(Self { core, settings, sessions })
    }

    /// Answers a request, whose body is only read where it matters.
    pub(super) async fn answer(
        self: &Arc<Self>,
        parts: Parts,
        body: BoxFuture<'static, Result<Bytes, NoBody>>,
    ) -> Reply {
        if let Err(refusal) = self.settings.guard.check(&parts) {
            return reply::invalid(StatusCode::FORBIDDEN, None, refusal);
        }
        let letter = self.letter(parts);
        if let Some(way) = self.http_sse_way(&letter) {
            return self.http_sse(letter, way, body).await;
        }
        match verb(letter.parts.method.as_str(), self.sessions.is_some()) {
            Verb::Message => match body.await {
                Ok(body) => self.take(letter, body).await,
                Err(no_body) => self.no_message(no_body),
            },
            Verb::Stream => self.listen(&letter).await,
            Verb::EndSession => self.end_session(&letter).await,
            Verb::NotAllowed { allow } => reply::not_allowed(allow),
            _ => reply::not_allowed("POST"),
        }
    }

    fn letter(&self, parts: Parts) -> Letter {
        let principal = self.settings.principal.as_ref().and_then(|principal| principal(&parts));
        let parts = Arc::new(parts);
        let accept = Accept::read(parts.headers.get_all(ACCEPT).iter().map(HeaderValue::as_bytes));
        let facts = Facts { principal: principal.map(Arc::from), parts: Some(parts.clone()) };
        Letter { parts, accept, facts }
    }

    /// Takes in a body and answers what it asks for.
    async fn take(self: &Arc<Self>, letter: Letter, body: Bytes) -> Reply {
        if !letter.is_json() {
            let what = "Unsupported Media Type: the Content-Type must be application/json";
            return reply::invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, what);
        }
        match self.read(&letter, &body) {
            Ok(Taken::One(intake)) => {
                drop(body);
                self.one(letter, intake).await
            }
            Ok(Taken::Batch(intakes)) => self.batch(letter, intakes).await,
            Err(rejection) => reply::rejected(&rejection),
        }
    }

    /// Refuses a request whose body did not come.
    pub(super) fn no_message(&self, no_body: NoBody) -> Reply {
        let limit = self.settings.body_limit;
        match no_body {
            NoBody::TooLong => {
                let what = format!("Payload too large: the limit is {limit} bytes");
                reply::invalid(StatusCode::PAYLOAD_TOO_LARGE, None, what)
            }
            NoBody::TooSlow => reply::invalid(
                StatusCode::REQUEST_TIMEOUT,
                None,
                "Request timeout: the body did not come in time",
            ),
            NoBody::Broken => {
                reply::invalid(StatusCode::BAD_REQUEST, None, "Bad Request: the body broke off")
            }
        }
    }

    fn read(&self, letter: &Letter, body: &[u8]) -> Result<Taken, Rejection> {
        let head = letter.head();
        let core = &self.core;
        match jsonrpc::parse(body).map_err(|unreadable| Rejection::from(&unreadable))? {
            Parsed::One(message) => Ok(Taken::One(take_in(core, &message, Some(&head), &letter.facts))),
            Parsed::Batch(messages) => {
                classify::admit_batch(Some(&head), &core.offer())?;
                let intakes = messages.into_iter().map(|message| match message {
                    Ok(message) => take_in_batch(core, &message, Some(&head), &letter.facts),
                    Err(unreadable) => Intake::Refused(Rejection::from(&unreadable)),
                });
                Ok(Taken::Batch(intakes.collect()))
            }
            _ => Ok(Taken::One(Intake::Noted)),
        }
    }

    async fn one(self: &Arc<Self>, letter: Letter, intake: Intake) -> Reply {
        match intake {
            Intake::Modern(work) => self.modern(&letter, work).await,
            Intake::Initialize(id, params) => self.initialize(&letter, id, params.as_deref()).await,
            Intake::Legacy(work) => self.legacy(&letter, work).await,
            Intake::Cancel(id) => {
                let cancel = |live: &Live| {
                    // One that has ended meanwhile cannot be withdrawn.
                    let _ = live.streams.cancel(&id);
                };
                self.note(&letter, cancel).await
            }
            Intake::Answer(response) => self.note(&letter, |live| live.answered(response)).await,
            Intake::Noted => self.note(&letter, |_| ()).await,
            Intake::Refused(rejection) => reply::rejected(&rejection),
        }
    }
}

impl Letter {
    fn head(&self) -> Head<'_> {
        Head::read(|name| self.parts.headers.get_all(name).into_iter().map(HeaderValue::as_bytes))
    }

    /// Tells whether the body is said to be JSON, or nothing is said.
    fn is_json(&self) -> bool {
        let content_type = self.parts.headers.get(CONTENT_TYPE);
        content_type.is_none_or(|value| value.to_str().is_ok_and(is_json))
    }

    /// Returns the id of the session, if the request names one.
    pub(super) fn session_id(&self) -> Option<&str> {
        header(&self.parts.headers, SESSION_ID)
    }

    /// Tells whether the head names a revision of the modern era.
    pub(super) fn is_modern(&self) -> bool {
        let revision = header(&self.parts.headers, diglot_proto::http::headers::PROTOCOL_VERSION);
        let revision = revision.and_then(|word| word.parse::<Revision>().ok());
        revision.is_some_and(|revision| revision.era() == Era::Modern)
    }

    /// Refuses a client that could read no answer to its request.
    pub(super) fn refusal(&self, id: &Id) -> Option<Reply> {
        let what = "the client must accept application/json and text/event-stream";
        let is_acceptable = self.accept.json || self.accept.event_stream;
        (!is_acceptable).then(|| reply::not_acceptable(Some(id), what))
    }
}

impl job::Parts for Parts {
    fn field(&self, name: &str) -> Field<'_> {
        Field::read(self.headers.get_all(name).into_iter().map(HeaderValue::as_bytes))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

pub(super) fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

//! An HTTP answer that is no stream: its head, its body, and what both say together.

use std::time::Duration;

use ::http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use ::http::response::Parts;
use ::http::{HeaderMap, HeaderName};
use bytes::Bytes;
use diglot_proto::http::headers::parse_challenges;
use diglot_proto::http::response::{self, Body as Read};
use diglot_proto::http::session::{Refusal, SessionLoss};
use diglot_proto::jsonrpc::{Message, Parsed};
use tokio::time::timeout;

use crate::http::adapter::{Body, BoxError};
use crate::http::secrets::Secrets;
use crate::http::session::Standing;
use crate::transport::{HttpReply, Inbound, ReplyBody};

/// How much is read of the body of an error, in bytes: what matters of it fits.
const ERROR_BYTES: usize = 1024 * 1024;

/// How long the body of an error is waited for once its status has come.
const ERROR_WAIT: Duration = Duration::from_secs(5);

/// The longest header value that is kept of an answer, in bytes.
const HEADER_BYTES: usize = 1024;

/// The head of an answer, as far as it is told on.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    headers: HeaderMap,
    standing: Standing,
    had_credentials: bool,
}

impl Head {
    pub(super) fn new(parts: Parts, standing: Standing, had_credentials: bool) -> Self {
        let content_type = text(&parts.headers, CONTENT_TYPE);
        let status = parts.status.as_u16();
        Self { status, content_type, headers: parts.headers, standing, had_credentials }
    }

    /// Returns the encoding of a success that is compressed although the request asked for none.
    pub(super) fn compression(&self) -> Option<String> {
        let encoding = text(&self.headers, CONTENT_ENCODING).filter(|_| self.is_success())?;
        (!encoding.trim().eq_ignore_ascii_case("identity")).then_some(encoding)
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Tells on what came, where the body is no message.
    pub(super) fn reply(&self, secrets: &Secrets, body: ReplyBody, excerpt: String) -> Inbound {
        let challenges = self.headers.get_all(WWW_AUTHENTICATE).iter();
        let cut = |text: String| secrets.cut(&text);
        let challenges: Vec<_> =
            challenges.map(|value| secrets.cut(&String::from_utf8_lossy(value.as_bytes()))).collect();
        let mut reply = HttpReply::new(self.status);
        reply.content_type = self.content_type.clone().map(cut);
        reply.retry_after = text(&self.headers, RETRY_AFTER).map(cut);
        reply.challenges = parse_challenges(challenges.iter().map(String::as_str));
        reply.had_session = self.standing == Standing::Within;
        reply.had_credentials = self.had_credentials;
        reply.excerpt = excerpt;
        reply.body = match body {
            ReplyBody::WebPage(title) => ReplyBody::WebPage(title.map(cut)),
            ReplyBody::Rpc(mut response) => {
                response.outcome.as_mut().err().into_iter().for_each(|error| secrets.clean_error(error));
                ReplyBody::Rpc(response)
            }
            body => body,
        };
        reply.lost_session = lost_session(&reply, self.standing);
        Inbound::Http(Box::new(reply))
    }

    /// Reads the whole body of a success: its messages, or the answer that has none.
    pub(super) fn messages(&self, body: &[u8], secrets: &Secrets, excerpt_bytes: usize) -> Vec<Inbound> {
        let read = response::read(self.status, self.content_type.as_deref(), body);
        let body = match read {
            Read::Rpc(parsed) => return inbound(parsed, secrets),
            read => (reply_body(read), secrets.excerpt(body, excerpt_bytes)),
        };
        vec![self.reply(secrets, body.0, body.1)]
    }

    /// Reads the body of an error, as far as it comes in time: the status counts whatever the body is.
    pub(super) async fn error(&self, body: Body, secrets: &Secrets, limits: (usize, usize)) -> Inbound {
        let (message_bytes, excerpt_bytes) = limits;
        let mut kept = Collected::new(ERROR_BYTES.min(message_bytes));
        let cut_off = !kept.read_in_time(body, ERROR_WAIT).await;
        let bytes = kept.as_slice();
        let body = match reply_body(response::read(self.status, self.content_type.as_deref(), bytes)) {
            // What was cut off looks broken and is not.
            ReplyBody::Unreadable(_) | ReplyBody::OtherJson if cut_off => ReplyBody::TooLarge(kept.limit),
            body => body,
        };
        self.reply(secrets, body, secrets.excerpt(bytes, excerpt_bytes))
    }
}

/// Reads an answer as one that says that the session is gone, where the request belonged to one.
fn lost_session(reply: &HttpReply, standing: Standing) -> Option<SessionLoss> {
    let mut refusal = match standing {
        Standing::Within => Refusal::new(reply.status),
        Standing::WithoutId => Refusal::new(reply.status).without_id(),
        Standing::Outside => return None,
    };
    refusal.has_challenge = !reply.challenges.is_empty();
    match &reply.body {
        ReplyBody::Rpc(response) => {
            let error = response.outcome.as_ref().err()?;
            refusal.code = Some(error.code);
            refusal.words = &error.message;
        }
        ReplyBody::WebPage(_) => {}
        _ => refusal.words = &reply.excerpt,
    }
    refusal.lost_session()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.as_bytes();
    Some(String::from_utf8_lossy(value.get(..HEADER_BYTES).unwrap_or(value)).trim().to_owned())
}

/// Tells on messages, one or a batch of them.
pub(super) fn inbound(parsed: Parsed<'_>, secrets: &Secrets) -> Vec<Inbound> {
    match parsed.into_owned() {
        Parsed::One(message) => vec![secrets.clean(Inbound::Message(message))],
        Parsed::Batch(messages) => messages
            .into_iter()
            .map(|message| secrets.clean(message.map_or_else(Inbound::Unreadable, Inbound::Message)))
            .collect(),
        _ => Vec::new(),
    }
}

fn reply_body(read: Read<'_>) -> ReplyBody {
    match read {
        Read::Rpc(parsed) => response_in(parsed),
        Read::Unreadable(unreadable) => ReplyBody::Unreadable(unreadable),
        Read::WebPage(title) => ReplyBody::WebPage(title),
        Read::Text => ReplyBody::Text,
        Read::Empty => ReplyBody::Empty,
        _ => ReplyBody::OtherJson,
    }
}

/// Finds the response in what an error's body says; only the first of a batch can belong to the request.
fn response_in(parsed: Parsed<'_>) -> ReplyBody {
    let mut messages = match parsed.into_owned() {
        Parsed::One(message) => vec![message],
        Parsed::Batch(messages) => messages.into_iter().flatten().collect(),
        _ => Vec::new(),
    }
    .into_iter();
    let response = messages.find_map(|message| match message {
        Message::Response(response) => Some(response),
        _ => None,
    });
    response.map_or(ReplyBody::OtherJson, |response| ReplyBody::Rpc(Box::new(response)))
}

/// A body as far as it has come, within a limit.
pub(super) struct Collected {
    limit: usize,
    first: Bytes,
    /// All of it, once there is more than one chunk.
    all: Vec<u8>,
}

impl Collected {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, first: Bytes::new(), all: Vec::new() }
    }

    /// Takes a chunk, and tells whether it fits; of one that does not, nothing is kept past the limit.
    pub(super) fn push(&mut self, chunk: Bytes) -> bool {
        let length = self.as_slice().len();
        let fits = chunk.len() <= self.limit - length;
        let chunk = if fits { chunk } else { chunk.slice(..self.limit - length) };
        if length == 0 {
            self.first = chunk;
            return fits;
        }
        if self.all.is_empty() {
            self.all.extend_from_slice(&self.first);
        }
        self.all.extend_from_slice(&chunk);
        fits
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        if self.all.is_empty() { &self.first } else { &self.all }
    }

    /// Reads a body, and tells whether it came whole.
    async fn read_in_time(&mut self, mut body: Body, wait: Duration) -> bool {
        let read = async {
            loop {
                let fits = match body.chunk().await {
                    None => return true,
                    Some(Ok(chunk)) => self.push(chunk),
                    Some(Err(error)) => return note(&error),
                };
                if !fits {
                    return false;
                }
            }
        };
        timeout(wait, read).await.unwrap_or(false)
    }
}

fn note(error: &BoxError) -> bool {
    tracing::debug!(error = error.to_string(), "the body of an error broke off");
    false
}

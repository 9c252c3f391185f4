//! The stream on which a legacy server says what belongs to no request: opened by a GET, once somebody wants to hear it.
//!
//! It is taken up again when it ends, after the last event that came, for as long as that brings anything
//! (`basic/transports` of revision 2025-11-25). A server that offers none is asked once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diglot_proto::http::response::{Manner, manner};
use diglot_proto::http::resume::Resumption;
use diglot_proto::jsonrpc::{self, Message};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::Body;
use crate::http::reply::{Head, inbound};
use crate::http::request;
use crate::http::resume;
use crate::http::session::Standing;
use crate::http::stream::{Events, Said};
use crate::http::wire::{Wire, closing};
use crate::limits::Limits;
use crate::transport::dispatch::Unsolicited;
use crate::transport::{BoxFuture, Inbound};

/// How long the head of the stream is waited for. Some proxies hold it back until the first event.
const HEAD_WAIT: Duration = Duration::from_secs(2);

/// How long a stream that brings nothing must last to count as one that works.
const LASTING: Duration = Duration::from_secs(10);

/// The stream of one connection, opened or not.
pub(super) struct Standalone {
    messages: Unsolicited,
    state: watch::Sender<State>,
    reader: Mutex<Option<AbortHandle>>,
}

/// How the stream stands.
enum State {
    Unopened,
    Opening,
    /// It is open, or about to be again.
    Open,
    NotOffered,
    Failed(TransportError),
}

impl Standalone {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            messages: Unsolicited::new(limits),
            state: watch::Sender::new(State::Unopened),
            reader: Mutex::default(),
        })
    }

    /// Opens the stream, unless it is or was; the future tells whether the server offers one.
    pub(super) fn attend(
        self: &Arc<Self>,
        wire: &Arc<Wire>,
    ) -> BoxFuture<'static, Result<bool, TransportError>> {
        let is_first = self.state.send_if_modified(|state| {
            let is_first = matches!(state, State::Unopened);
            if is_first {
                *state = State::Opening;
            }
            is_first
        });
        if is_first {
            let reader = tokio::spawn(Reader::new(wire.clone(), self.clone()).run());
            *self.reader() = Some(reader.abort_handle());
        }
        let mut state = self.state.subscribe();
        Box::pin(async move {
            let settled = state.wait_for(|state| !matches!(state, State::Opening));
            let Ok(Ok(state)) = timeout(HEAD_WAIT, settled).await else { return Ok(true) };
            match &*state {
                State::NotOffered => Ok(false),
                State::Failed(error) => Err(error.again()),
                _ => Ok(true),
            }
        })
    }

    /// Waits for the next message; nothing once there will be none any more.
    pub(super) async fn next(&self) -> Option<Inbound> {
        self.messages.next().await
    }

    /// Ends the stream for good.
    pub(super) fn stop(&self) {
        if let Some(reader) = self.reader().take() {
            reader.abort();
        }
        self.messages.close();
    }

    fn settle(&self, state: State) {
        self.state.send_replace(state);
    }

    fn reader(&self) -> std::sync::MutexGuard<'_, Option<AbortHandle>> {
        // Nothing in here panics while it holds the lock.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that reads the stream.
struct Reader {
    wire: Arc<Wire>,
    standalone: Arc<Standalone>,
    resumption: Resumption,
    retry_ms: Option<u64>,
    last_event_id: Option<String>,
    was_open: bool,
}

/// What came of one try to open the stream.
enum Opened {
    Stream(Body),
    /// The server has none, or no longer.
    Refused(u16),
    /// It may have one in a while.
    Later(TransportError),
}

impl Reader {
    fn new(wire: Arc<Wire>, standalone: Arc<Standalone>) -> Self {
        let resumption = Resumption::new(resume::bounds(&wire.limits));
        Self { wire, standalone, resumption, retry_ms: None, last_event_id: None, was_open: false }
    }

    async fn run(mut self) {
        let mut closed = self.wire.closed.subscribe();
        let end = tokio::select! {
            biased;
            () = closing(&mut closed) => State::Failed(self.wire.ended()),
            end = self.follow() => end,
        };
        match &end {
            State::NotOffered => tracing::info!("the server offers no stream for what belongs to no request"),
            State::Failed(error) => tracing::warn!(%error, "the server's stream of its own ended"),
            _ => {}
        }
        self.standalone.settle(end);
        self.standalone.messages.close();
    }

    /// Reads the stream, and takes it up again as often as the bounds allow.
    async fn follow(&mut self) -> State {
        loop {
            let lost = match self.open().await {
                Opened::Stream(body) => self.read(body).await,
                Opened::Later(error) => error,
                Opened::Refused(_) if !self.was_open => return State::NotOffered,
                // What is refused may be the place in the stream, which some servers forget.
                Opened::Refused(status) if self.last_event_id.take().is_none() => {
                    return State::Failed(self.refusal(status));
                }
                Opened::Refused(status) => self.refusal(status),
            };
            let Some(wait) = self.resumption.next_wait(self.retry_ms) else { return State::Failed(lost) };
            tracing::debug!(error = %lost, ?wait, "the server's stream of its own is taken up again");
            sleep(wait).await; // paused clock
        }
    }

    async fn open(&mut self) -> Opened {
        let (session, revision) = self.wire.session.at_hand();
        let standing = if session.is_some() { Standing::Within } else { Standing::Outside };
        let endpoint = &self.wire.endpoint;
        let letter = request::stream(endpoint, session, revision, self.last_event_id.as_deref());
        let (response, _) = match endpoint.send(letter).await {
            Ok(answered) => answered,
            Err(error) if matches!(error.fault, TransportFault::Redirect { .. }) && !self.was_open => {
                tracing::debug!(%error, "the stream is not to be had here");
                return Opened::Refused(error.status.unwrap_or_default());
            }
            Err(error) => return Opened::Later(error),
        };
        let (parts, body) = response.into_parts();
        let head = Head::new(parts, standing, endpoint.has_credentials());
        let is_stream = manner(head.status, head.content_type.as_deref()) == Manner::Stream;
        if head.is_success() && is_stream && head.compression().is_none() {
            return Opened::Stream(body);
        }
        let status = head.status;
        let limits = (self.wire.limits.message_bytes, self.wire.limits.excerpt_bytes);
        if let Inbound::Http(reply) = head.error(body, endpoint.secrets(), limits).await {
            tracing::debug!(status, excerpt = %reply.excerpt, "no stream came back to the GET");
            if is_passing(status) {
                let seconds = reply.retry_after.as_deref().and_then(|after| after.parse::<u64>().ok());
                self.retry_ms = seconds.map(|seconds| seconds.saturating_mul(1000)).or(self.retry_ms);
            }
        }
        match is_passing(status) {
            true => Opened::Later(self.refusal(status)),
            false => Opened::Refused(status),
        }
    }

    /// Reads to the end of the stream, and says how it was lost.
    async fn read(&mut self, mut body: Body) -> TransportError {
        if self.was_open && self.last_event_id.is_none() {
            self.standalone.messages.push(Inbound::Missed);
        }
        self.was_open = true;
        self.standalone.settle(State::Open);
        let opened = Instant::now();
        let mut events = Events::new(self.wire.limits.message_bytes);
        let mut lost = TransportError::new(TransportFault::StreamLost, self.wire.endpoint.target());
        loop {
            while let Some(said) = events.next() {
                self.resumption.progressed();
                self.take(said);
            }
            match body.chunk().await {
                Some(Ok(chunk)) => events.push(&chunk),
                Some(Err(error)) => {
                    lost = lost.because(error);
                    break;
                }
                None => break,
            }
        }
        let id = events.last_event_id().map(str::to_owned);
        if opened.elapsed() >= LASTING || (id.is_some() && id != self.last_event_id) {
            self.resumption.progressed();
        }
        self.last_event_id = id.or(self.last_event_id.take());
        self.retry_ms = events.retry_ms().or(self.retry_ms);
        lost
    }

    fn take(&self, said: Said) {
        let text = match said {
            Said::Message(text) => text,
            Said::TooLong(length, _) => {
                return tracing::warn!(length, "skipped an event over the message limit");
            }
            Said::Endpoint(_) => return,
        };
        let parsed = match jsonrpc::parse(text.as_bytes()) {
            Ok(parsed) => parsed,
            Err(unreadable) => return tracing::debug!(%unreadable, "skipped an event that is no message"),
        };
        for inbound in inbound(parsed, self.wire.endpoint.secrets()) {
            match inbound {
                Inbound::Message(Message::Response(response)) => {
                    tracing::debug!(id = %response.id, "dropped a response to no open request");
                }
                message @ Inbound::Message(_) => self.standalone.messages.push(message),
                _ => tracing::debug!("skipped a part of an event that is no message"),
            }
        }
    }

    fn refusal(&self, status: u16) -> TransportError {
        TransportError::new(TransportFault::StreamLost, self.wire.endpoint.target())
            .status(status)
            .because(format!("HTTP status {status}"))
    }
}

/// Tells whether a status speaks of the moment and not of the stream.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504)
}

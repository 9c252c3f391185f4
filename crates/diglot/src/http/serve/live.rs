//! One legacy session while this process serves it, and its streams as ways out for what handlers emit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use diglot_proto::jsonrpc::{self, Id, Response, RpcError, codes};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::future::BoxFuture;
use crate::http::serve::frame;
use crate::http::serve::wire::Wire;
use crate::server::events::{Keep, Next, Reading, Streams, UNSOLICITED};
use crate::server::hub::{Change, Hub, Subscriber};
use crate::server::outlet::Outlet;
use crate::server::session::Session;

/// How long a client is asked to wait before it resumes a stream, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// A session of this process.
pub(super) struct Live {
    pub(super) id: Box<str>,
    pub(super) principal: Option<Arc<str>>,
    /// Nothing before `initialize`, which over HTTP+SSE comes when the session is open already.
    session: OnceLock<Arc<Session>>,
    pub(super) streams: Streams,
    /// When the table of sessions began.
    began: Instant,
    /// When the session was used last, in milliseconds since then.
    used: AtomicU64,
    /// Hears of changes, from the first time on that the client listens.
    subscriber: Mutex<Option<Arc<Subscriber>>>,
}

impl Live {
    pub(super) fn new(
        id: String,
        principal: Option<Arc<str>>,
        session: Option<Session>,
        keep: Keep,
        began: Instant,
    ) -> Self {
        let live = Self {
            id: id.into_boxed_str(),
            principal,
            session: session.map(Arc::new).map_or_else(OnceLock::new, OnceLock::from),
            streams: Streams::new(keep),
            began,
            used: AtomicU64::new(0),
            subscriber: Mutex::default(),
        };
        live.touch();
        live
    }

    /// Returns what is known since `initialize`.
    pub(super) fn session(&self) -> Option<&Arc<Session>> {
        self.session.get()
    }

    /// Takes what `initialize` said; tells whether it was the first time.
    pub(super) fn begin(&self, session: Session) -> bool {
        self.session.set(Arc::new(session)).is_ok()
    }

    /// Takes an answer of the client.
    pub(super) fn answered(&self, response: Response<'_>) {
        if let Some(session) = self.session() {
            session.answered(response);
        }
    }

    /// Ends all that is under way.
    pub(super) fn end(&self) {
        self.streams.end();
        if let Some(session) = self.session.get() {
            session.abandon();
        }
    }

    /// Notes that the session is used.
    pub(super) fn touch(&self) {
        self.used.store(self.now(), Ordering::Relaxed);
    }

    /// Returns when the session was used last, to be compared with others.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Tells whether anyone reads one of its streams or waits for an answer.
    pub(super) fn is_in_use(&self) -> bool {
        self.streams.are_in_use()
    }

    /// Tells whether nobody has used the session for so long.
    pub(super) fn is_idle_for(&self, idle: Duration) -> bool {
        u128::from(self.now().saturating_sub(self.used())) >= idle.as_millis() && !self.is_in_use()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Subscribes to changes, unless the session does already.
    pub(super) fn subscriber(self: &Arc<Self>, hub: &Hub, limit: usize) -> Arc<Subscriber> {
        let mut subscriber = self.subscriber.lock().unwrap_or_else(PoisonError::into_inner);
        let subscriber = subscriber.get_or_insert_with(|| {
            let live = Arc::downgrade(self);
            let wants = move |change: &Change| {
                let live = live.upgrade();
                let session = live.as_ref().and_then(|live| live.session());
                session.is_some_and(|session| match change {
                    Change::Resource(uri) => session.is_subscribed(uri),
                    _ => true,
                })
            };
            hub.subscribe(Box::new(wants), limit)
        });
        subscriber.clone()
    }

    /// Forgets a subscription that has ended, so that the next stream begins a new one.
    pub(super) fn unsubscribe(&self) {
        *self.subscriber.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells whether streams begin with an event that only names a place in them.
    pub(super) fn is_primed(&self) -> bool {
        self.session().is_some_and(|session| session.revision >= Revision::V2025_11_25)
    }
}

/// One stream of a session.
pub(super) struct Lane {
    live: Arc<Live>,
    number: u32,
    reading: Mutex<Option<Reading>>,
}

impl Lane {
    /// Takes the stream of a request that was opened.
    pub(super) fn of_request(live: Arc<Live>, number: u32) -> Arc<Self> {
        Arc::new(Self { live, number, reading: Mutex::default() })
    }

    /// Takes up a stream for someone who reads it.
    pub(super) fn read_by(live: Arc<Live>, reading: Reading) -> Arc<Self> {
        Arc::new(Self { live, number: reading.stream, reading: Mutex::new(Some(reading)) })
    }

    fn with_reading<T>(&self, act: impl FnOnce(&mut Option<Reading>) -> T) -> T {
        act(&mut self.reading.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes the event that names the place where the reader is.
    pub(super) fn prime(&self, out: &mut Vec<u8>) {
        self.with_reading(|reading| {
            if let Some(reading) = reading.as_ref().filter(|_| self.live.is_primed()) {
                frame::priming(out, reading.stream, reading.event, RETRY_MS);
            }
        });
    }
}

impl Outlet for Lane {
    fn notify(&self, message: Vec<u8>) {
        self.live.streams.push(self.number, message);
    }

    fn hang_up(&self) {
        // Without an event that names its place, a client does not know where to go on.
        if self.live.is_primed() {
            self.live.streams.hang_up(self.number);
        }
    }

    fn ask(
        &self,
        method: &'static str,
        params: Option<Box<RawValue>>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        let streams = &self.live.streams;
        // Where the client cannot read the answer as a stream, its own stream may carry the question.
        let way = [self.number, UNSOLICITED].into_iter().find(|number| match *number {
            UNSOLICITED => streams.is_read(UNSOLICITED),
            number => streams.is_readable(number),
        });
        let asked = way.zip(self.live.session()).and_then(|(way, session)| {
            let (id, answer) = session.ask();
            let question = Question { live: self.live.clone(), id, way };
            streams
                .push(way, jsonrpc::write_request(&question.id, method, params.as_deref()))
                .then_some((question, answer))
        });
        Box::pin(async move {
            let Some((question, answer)) = asked else { return Err(nobody(method)) };
            let answered = answer.await;
            drop(question);
            answered.unwrap_or_else(|_| Err(nobody(method)))
        })
    }
}

fn nobody(method: &str) -> RpcError {
    let what = format!("{method} cannot be sent: the client reads no event stream that could carry it");
    RpcError::new(codes::INTERNAL_ERROR, what)
}

/// A request to the client, forgotten and withdrawn when nobody waits for its answer any more.
struct Question {
    live: Arc<Live>,
    id: Id,
    way: u32,
}

impl Drop for Question {
    fn drop(&mut self) {
        if self.live.session().is_some_and(|session| session.forget(&self.id)) {
            let params = RawValue::from_string(format!(r#"{{"requestId":{}}}"#, self.id));
            let params = params.expect("an id is JSON");
            let message = jsonrpc::write_notification("notifications/cancelled", Some(&params));
            self.live.streams.push(self.way, message);
        }
    }
}

impl Wire for Lane {
    fn is_cut(&self, context: &Context<'_>) -> bool {
        self.live.streams.is_cut(self.number, context)
    }

    fn wants(&self, id: &Id) -> bool {
        self.live.streams.wants(self.number, id)
    }

    fn has_mail(&self, context: &Context<'_>) -> bool {
        self.live.streams.has_mail(self.number, context)
    }

    fn begin(&self, out: &mut Vec<u8>) {
        let reading = self.live.streams.attach(self.number, None);
        self.with_reading(|own| *own = reading);
        self.prime(out);
    }

    fn read(&self, context: &Context<'_>, out: &mut Vec<u8>) -> Poll<()> {
        self.with_reading(|reading| {
            let Some(reading) = reading else { return Poll::Ready(()) };
            let stream = reading.stream;
            let write = |event: u32, message: &[u8]| frame::numbered(out, stream, event, message);
            match self.live.streams.read(reading, context, write) {
                Next::Open => Poll::Pending,
                Next::End => Poll::Ready(()),
            }
        })
    }

    fn close(&self, last: Option<Vec<u8>>) {
        self.live.streams.close(self.number, last);
    }

    fn answered(&self) {
        self.live.streams.forget(self.number);
    }

    fn left(&self) -> bool {
        self.live.touch();
        match self.with_reading(Option::take) {
            Some(reading) => self.live.streams.detach(&reading),
            None => self.live.streams.abandon(self.number),
        }
        self.number != UNSOLICITED
    }
}

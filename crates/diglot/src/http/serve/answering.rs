//! One request under way: the handler runs inside the future of the response, and inside the body if that becomes a stream.
//!
//! Whether the answer is JSON or an event stream is decided late: by the handler's end, by the first thing that it emits,
//! or by the silence after which a proxy would give up.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use diglot_proto::http::accept::Accept;
use diglot_proto::jsonrpc::Id;
use http::StatusCode;
use http_body::Frame;
use tokio::time::{Instant, Sleep};

use crate::future::BoxFuture;
use crate::http::adapter::{Body, BoxError};
use crate::http::serve::frame;
use crate::http::serve::reply::{self, Reply};
use crate::http::serve::wire::Wire;

/// An answer that is written.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

/// What runs a request; nothing is its end where there is no answer.
pub(super) type Handler = BoxFuture<'static, Option<Answer>>;

/// A handler with the stream that may carry what it emits.
struct Running {
    handler: Option<Handler>,
    wire: Arc<dyn Wire>,
}

impl Running {
    /// Goes on with the handler; ready once, with its end.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Answer>> {
        let Some(handler) = &mut self.handler else { return Poll::Pending };
        if self.wire.is_cut(context) {
            self.handler = None;
            return Poll::Ready(None);
        }
        let ended = std::task::ready!(handler.as_mut().poll(context));
        self.handler = None;
        Poll::Ready(ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let goes_on = self.wire.left();
        let Some(handler) = self.handler.take().filter(|_| goes_on) else { return };
        let mut rest = Self { handler: Some(handler), wire: Arc::new(Unread(self.wire.clone())) };
        // Without a runtime there is nobody to go on with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let ended = std::future::poll_fn(|context| rest.poll(context)).await;
                rest.wire.close(ended.map(|answer| answer.body));
            });
        }
    }
}

/// The stream of a request whose client left: it is written to and not read.
struct Unread(Arc<dyn Wire>);

impl Wire for Unread {
    fn is_cut(&self, context: &Context<'_>) -> bool {
        self.0.is_cut(context)
    }

    fn wants(&self, id: &Id) -> bool {
        self.0.wants(id)
    }

    fn has_mail(&self, _context: &Context<'_>) -> bool {
        false
    }

    fn begin(&self, _out: &mut Vec<u8>) {}

    fn read(&self, _context: &Context<'_>, _out: &mut Vec<u8>) -> Poll<()> {
        Poll::Ready(())
    }

    fn close(&self, last: Option<Vec<u8>>) {
        self.0.close(last);
    }

    fn answered(&self) {}

    fn left(&self) -> bool {
        false
    }
}

/// The response to a request, as a future.
pub(super) struct Answering {
    /// Nothing once the response is made.
    running: Option<Running>,
    accept: Accept,
    beat: Beat,
}

impl Answering {
    /// Begins; `silence` is how long a stream may be quiet.
    pub(super) fn new(handler: Handler, wire: Arc<dyn Wire>, accept: Accept, silence: Duration) -> Self {
        let running = Running { handler: Some(handler), wire };
        Self { running: Some(running), accept, beat: Beat::new(silence) }
    }

    fn finish(&mut self, running: Running, answer: Option<Answer>, context: &Context<'_>) -> Reply {
        let accept = self.accept;
        let Some(answer) = answer else {
            running.wire.answered();
            // The client withdrew the request and gets no answer to it.
            return match accept.event_stream {
                true => reply::event_stream(Body::empty()),
                false => reply::empty(StatusCode::NO_CONTENT),
            };
        };
        let is_plain = accept.json || answer.status != StatusCode::OK;
        if accept.event_stream && (!is_plain || running.wire.has_mail(context)) {
            let reply = self.stream(running, Vec::new());
            return reply.ended(answer.body);
        }
        running.wire.answered();
        reply::json(answer.status, answer.body)
    }

    /// Makes the stream; `quiet` is what it begins with where it has nothing else to say.
    fn stream(&mut self, running: Running, quiet: Vec<u8>) -> EventBody {
        let mut head = Vec::new();
        running.wire.begin(&mut head);
        if head.is_empty() {
            head = quiet;
        }
        let beat = std::mem::replace(&mut self.beat, Beat::new(Duration::MAX));
        EventBody { running, head, beat, has_ended: false, guard: None }
    }
}

impl Future for Answering {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Reply> {
        let this = &mut *self;
        let Some(mut running) = this.running.take() else { return Poll::Pending };
        if let Poll::Ready(ended) = running.poll(context) {
            return Poll::Ready(this.finish(running, ended, context));
        }
        if this.accept.event_stream {
            if running.wire.has_mail(context) {
                return Poll::Ready(this.stream(running, Vec::new()).reply());
            }
            if this.beat.is_due(context) {
                return Poll::Ready(this.stream(running, frame::COMMENT.to_vec()).reply());
            }
        }
        this.running = Some(running);
        Poll::Pending
    }
}

/// The body of an event stream, which runs the handler on.
pub(super) struct EventBody {
    running: Running,
    /// What the stream begins with, until it is written.
    head: Vec<u8>,
    beat: Beat,
    has_ended: bool,
    /// Dropped with the stream.
    guard: Option<Box<dyn Send>>,
}

impl EventBody {
    /// Makes the stream of a client that listens.
    pub(super) fn listening(handler: Handler, wire: Arc<dyn Wire>, head: Vec<u8>, silence: Duration) -> Self {
        let running = Running { handler: Some(handler), wire };
        Self { running, head, beat: Beat::new(silence), has_ended: false, guard: None }
    }

    /// Keeps a guard for as long as the client reads.
    pub(super) fn guarded(self, guard: impl Send + 'static) -> Self {
        Self { guard: Some(Box::new(guard)), ..self }
    }

    pub(super) fn reply(self) -> Reply {
        reply::event_stream(Body::new(self))
    }

    /// Makes the response whose stream only has to be read.
    fn ended(self, last: Vec<u8>) -> Reply {
        self.running.wire.close(Some(last));
        self.reply()
    }
}

impl http_body::Body for EventBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if this.has_ended {
            this.guard = None;
            return Poll::Ready(None);
        }
        if let Poll::Ready(ended) = this.running.poll(context) {
            this.running.wire.close(ended.map(|answer| answer.body));
        }
        let mut text = std::mem::take(&mut this.head);
        this.has_ended = this.running.wire.read(context, &mut text).is_ready();
        if text.is_empty() && !this.has_ended && this.beat.is_due(context) {
            text.extend_from_slice(frame::COMMENT);
        }
        match (text.is_empty(), this.has_ended) {
            (false, _) => {
                this.beat.restart();
                Poll::Ready(Some(Ok(Frame::data(text.into()))))
            }
            (true, true) => Poll::Ready(None),
            (true, false) => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended
    }
}

/// Says when a stream was quiet for too long. The timer is made when something first has to be waited for.
struct Beat {
    period: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Beat {
    fn new(period: Duration) -> Self {
        Self { period, timer: None }
    }

    /// Tells whether it is time, and asks to be woken when it is.
    fn is_due(&mut self, context: &mut Context<'_>) -> bool {
        if self.period == Duration::MAX {
            return false;
        }
        let period = self.period;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(period)));
        let is_due = timer.as_mut().poll(context).is_ready();
        if is_due {
            self.restart();
        }
        is_due
    }

    fn restart(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.as_mut().reset(Instant::now() + self.period);
        }
    }
}

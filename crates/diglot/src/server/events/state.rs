//! What the streams of a session hold, and how it is kept within its limits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};

use diglot_proto::jsonrpc::Id;

/// The number of the stream that belongs to no request.
pub(crate) const UNSOLICITED: u32 = 0;

/// What one session may keep for resumption.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
    pub(crate) all: Arc<Total>,
}

/// What all sessions keep together, in bytes.
#[derive(Debug)]
pub(crate) struct Total {
    limit: usize,
    pub(super) used: AtomicUsize,
}

impl Total {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    fn is_over(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) streams: Vec<Stream>,
    pub(super) events: VecDeque<Event>,
    pub(super) bytes: usize,
    pub(super) last_number: u32,
    pub(super) last_turn: u32,
    pub(super) has_ended: bool,
}

/// One stream: that of a request or of a batch, or the unsolicited one.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) number: u32,
    pub(super) requests: Vec<Id>,
    pub(super) phase: Phase,
    /// Whether anyone may come to read it.
    pub(super) is_readable: bool,
    /// Whether the client waits for the answer without reading a stream.
    pub(super) is_awaited: bool,
    /// Whether the client may know an event of the stream, by which it can resume.
    pub(super) is_resumable: bool,
    /// Whether the next reader is to be sent away, to come back later.
    pub(super) hangs_up: bool,
    /// The turn of the reader, of whom there is one at most.
    pub(super) turn: Option<u32>,
    pub(super) last_event: u32,
    pub(super) reader: Option<Waker>,
    /// Who runs the request.
    pub(super) driver: Option<Waker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Running,
    /// The client withdrew the request, or the session ended.
    Cut,
    /// All is said.
    Done,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) stream: u32,
    pub(super) number: u32,
    pub(super) message: Box<[u8]>,
    /// Whether a reader took it.
    pub(super) is_taken: bool,
    /// Whether a sweep has seen it taken.
    pub(super) is_old: bool,
}

impl State {
    pub(super) fn find(&mut self, number: u32) -> Option<&mut Stream> {
        self.streams.iter_mut().find(|stream| stream.number == number)
    }

    pub(super) fn add(&mut self, keep: &Keep, number: u32, message: Vec<u8>) {
        let Some(stream) = self.streams.iter_mut().find(|stream| stream.number == number) else { return };
        stream.last_event += 1;
        let event = Event {
            stream: number,
            number: stream.last_event,
            message: message.into_boxed_slice(),
            is_taken: false,
            is_old: false,
        };
        stream.wake_reader();
        self.bytes += event.message.len();
        keep.all.used.fetch_add(event.message.len(), Ordering::Relaxed);
        self.events.push_back(event);
        self.trim(keep);
    }

    /// Brings what is kept within its limits: what is on its way to a reader does not count.
    pub(super) fn trim(&mut self, keep: &Keep) {
        let is_over =
            |state: &Self| state.events.len() > keep.events || state.bytes > keep.bytes || keep.all.is_over();
        while is_over(self) {
            let streams = &self.streams;
            // A stream that cannot be resumed yet is about to be read.
            let is_read = |stream: &Stream| stream.turn.is_some() || !stream.is_resumable;
            let is_underway = |event: &Event| {
                !event.is_taken
                    && streams.iter().any(|stream| stream.number == event.stream && is_read(stream))
            };
            let Some(at) = self.events.iter().position(|event| !is_underway(event)) else { break };
            if let Some(event) = self.events.remove(at) {
                self.bytes -= event.message.len();
                keep.all.used.fetch_sub(event.message.len(), Ordering::Relaxed);
            }
        }
        let events = &self.events;
        self.streams.retain(|stream| {
            // The numbers of its events go on, whoever reads them.
            let is_unsolicited = stream.number == UNSOLICITED;
            let is_kept = || events.iter().any(|event| event.stream == stream.number);
            is_unsolicited
                || stream.phase == Phase::Running
                || stream.turn.is_some()
                || (stream.is_resumable && is_kept())
        });
        if self.events.is_empty() && self.events.capacity() > 0 {
            self.events = VecDeque::new();
        }
    }

    pub(super) fn drop_events(&mut self, keep: &Keep, which: impl Fn(&Event) -> bool) {
        let mut dropped = 0;
        self.events.retain(|event| {
            let is_dropped = which(event);
            if is_dropped {
                dropped += event.message.len();
            }
            !is_dropped
        });
        self.bytes -= dropped;
        keep.all.used.fetch_sub(dropped, Ordering::Relaxed);
    }
}

impl Stream {
    pub(super) fn new(number: u32, requests: Vec<Id>, is_readable: bool) -> Self {
        Self {
            number,
            phase: Phase::Running,
            is_readable,
            is_awaited: !requests.is_empty(),
            requests,
            is_resumable: false,
            hangs_up: false,
            turn: None,
            last_event: 0,
            reader: None,
            driver: None,
        }
    }

    pub(super) fn wait(&mut self, context: &Context<'_>) {
        set(&mut self.reader, context);
    }

    pub(super) fn wake_reader(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    pub(super) fn cut(&mut self) {
        self.phase = Phase::Cut;
        self.wake_reader();
        if let Some(driver) = self.driver.take() {
            driver.wake();
        }
    }
}

pub(super) fn set(waker: &mut Option<Waker>, context: &Context<'_>) {
    match waker {
        Some(waker) => waker.clone_from(context.waker()),
        None => *waker = Some(context.waker().clone()),
    }
}

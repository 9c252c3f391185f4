//! The requests of one pipe that are under way, run by the pipe's own task.
//!
//! Only those that were woken are polled. A place keeps its waker for whoever takes it next, so that a request that
//! ends at once costs no waker; a late wake then polls another request in vain, which is allowed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::channel::Channel;
use crate::future::BoxFuture;
use crate::server::answer::Outcome;

/// A request that runs.
pub(super) type Running = BoxFuture<'static, Outcome>;

/// How a request ended.
pub(super) enum End {
    Outcome(Outcome),
    Panicked,
}

/// What came of starting a request.
pub(super) enum Started<T> {
    Ended(T, End),
    Waits(usize),
}

/// Requests that run, each with what its owner keeps of it.
pub(super) struct Tasks<T> {
    channel: Arc<Channel>,
    places: Vec<Place<T>>,
    free: Vec<usize>,
    /// Kept for its memory.
    woken: Vec<usize>,
}

struct Place<T> {
    waker: Waker,
    signal: Arc<Signal>,
    task: Option<(T, Running)>,
}

/// What wakes the request of one place.
struct Signal {
    index: usize,
    is_raised: AtomicBool,
    channel: Arc<Channel>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_raised.swap(true, Ordering::AcqRel) {
            self.channel.woke(self.index);
        }
    }
}

impl<T> Tasks<T> {
    pub(super) fn new(channel: Arc<Channel>) -> Self {
        Self { channel, places: Vec::new(), free: Vec::new(), woken: Vec::new() }
    }

    /// Runs a request as far as it comes at once.
    pub(super) fn start(&mut self, about: T, mut running: Running) -> Started<T> {
        let index = self.free.pop().unwrap_or(self.places.len());
        if self.places.get(index).is_none() {
            self.places.push(Place::new(index, self.channel.clone()));
        }
        let Some(place) = self.places.get_mut(index) else { return Started::Ended(about, End::Panicked) };
        match poll(&mut running, &place.waker) {
            Some(end) => {
                self.free.push(index);
                dispose(running);
                Started::Ended(about, end)
            }
            None => {
                place.task = Some((about, running));
                Started::Waits(index)
            }
        }
    }

    /// Polls every request that was woken, once, and hands over those that ended.
    ///
    /// It tells whether any was polled.
    pub(super) fn poll_woken(&mut self, ended: &mut Vec<(T, End)>) -> bool {
        let mut woken = std::mem::take(&mut self.woken);
        self.channel.swap_woken(&mut woken);
        let mut is_any = false;
        for index in woken.drain(..) {
            let Some(place) = self.places.get_mut(index) else { continue };
            // Before the poll, so that a wake during it counts.
            place.signal.is_raised.store(false, Ordering::Release);
            let Some((_, running)) = &mut place.task else { continue };
            is_any = true;
            if let Some(end) = poll(running, &place.waker)
                && let Some((about, running)) = self.take(index)
            {
                dispose(running);
                ended.push((about, end));
            }
        }
        self.woken = woken;
        is_any
    }

    /// Returns what is kept of a request.
    pub(super) fn about(&self, index: usize) -> Option<&T> {
        self.places.get(index)?.task.as_ref().map(|(about, _)| about)
    }

    /// Takes a request away; [`dispose`] of it.
    pub(super) fn take(&mut self, index: usize) -> Option<(T, Running)> {
        let task = self.places.get_mut(index)?.task.take()?;
        self.free.push(index);
        Some(task)
    }
}

impl<T> Place<T> {
    fn new(index: usize, channel: Arc<Channel>) -> Self {
        let signal = Arc::new(Signal { index, is_raised: AtomicBool::new(false), channel });
        Self { waker: Waker::from(signal.clone()), signal, task: None }
    }
}

fn poll(running: &mut Running, waker: &Waker) -> Option<End> {
    let mut context = Context::from_waker(waker);
    // What a handler left half done is its own business: nothing of the pipe is in its reach.
    match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(&mut context))) {
        Ok(Poll::Ready(outcome)) => Some(End::Outcome(outcome)),
        Ok(Poll::Pending) => None,
        Err(_) => Some(End::Panicked),
    }
}

/// Drops a request; a panic on the way concerns nobody else.
pub(super) fn dispose(running: Running) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(running)));
}

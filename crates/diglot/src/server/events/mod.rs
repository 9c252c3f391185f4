//! The event streams of one legacy session: what waits to be read, what is kept to be read again, and who reads.
//!
//! One lock guards all streams of a session and is never held over an `await`. A stream that nobody could read any more is
//! forgotten at once; what is kept for resumption has limits for the session and for all sessions together.

mod state;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Context;

use diglot_proto::jsonrpc::Id;

use state::{Event, Phase, State, Stream, set};
pub(crate) use state::{Keep, Total, UNSOLICITED};

/// The most requests of one session that may run at the same time.
pub(crate) const MOST_RUNNING: usize = 256;

/// The most messages that wait for the readers of one session; later notifications are lost.
const MOST_WAITING: usize = 1_024;

/// The most bytes of messages that wait for the readers of one session; later notifications are lost.
const MOST_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// All streams of a session.
#[derive(Debug)]
pub(crate) struct Streams {
    keep: Keep,
    state: Mutex<State>,
}

/// A place in a stream, and the right to read on from there.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) stream: u32,
    pub(crate) event: u32,
    turn: u32,
}

/// What there is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Something was read, or may come later.
    Open,
    /// The stream is at its end, or belongs to another reader now.
    End,
}

/// Why a request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// A request with its id runs already.
    Duplicate,
    /// [`MOST_RUNNING`] requests run already.
    TooMany,
    /// The session is over.
    Ended,
}

impl Streams {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { keep, state: Mutex::default() }
    }

    /// Begins the stream of requests; one that is not readable takes no messages.
    pub(crate) fn open(&self, requests: Vec<Id>, is_readable: bool) -> Result<u32, NotTaken> {
        let mut state = self.state();
        if state.has_ended {
            return Err(NotTaken::Ended);
        }
        let running = || state.streams.iter().filter(|stream| stream.phase == Phase::Running);
        let is_taken = |id: &Id| running().any(|stream| stream.requests.contains(id));
        let repeats = |at: usize, id: &Id| requests.iter().skip(at + 1).any(|other| other == id);
        if requests.iter().enumerate().any(|(at, id)| is_taken(id) || repeats(at, id)) {
            return Err(NotTaken::Duplicate);
        }
        if running().map(|stream| stream.requests.len()).sum::<usize>() + requests.len() > MOST_RUNNING {
            return Err(NotTaken::TooMany);
        }
        let number = state.last_number.wrapping_add(1).max(UNSOLICITED + 1);
        state.last_number = number;
        // Most sessions have one request at a time.
        if state.streams.capacity() == 0 {
            state.streams.reserve_exact(1);
        }
        state.streams.push(Stream::new(number, requests, is_readable));
        Ok(number)
    }

    /// Begins to read a stream after an event, or after all that was read; whoever read it before reads no more.
    ///
    /// Returns nothing where the stream is not kept any more. The unsolicited stream is always there.
    pub(crate) fn attach(&self, number: u32, after: Option<u32>) -> Option<Reading> {
        let mut state = self.state();
        if state.has_ended {
            return None;
        }
        let turn = state.last_turn.wrapping_add(1);
        state.last_turn = turn;
        if number == UNSOLICITED && state.find(number).is_none() {
            state.streams.push(Stream::new(UNSOLICITED, Vec::new(), true));
        }
        let stream = state.find(number)?;
        if number == UNSOLICITED {
            // It can be opened again after it was ended.
            stream.phase = Phase::Running;
        }
        stream.turn = Some(turn);
        stream.is_resumable = true;
        stream.is_awaited = false;
        if let Some(former) = stream.reader.take() {
            former.wake();
        }
        let last = stream.last_event;
        let unread = || state.events.iter().find(|event| event.stream == number && !event.is_taken);
        let event = match after {
            Some(after) => after.min(last),
            None => unread().map_or(last, |unread| unread.number.saturating_sub(1)),
        };
        // What comes after the place is to be read, be it for the second time.
        for kept in state.events.iter_mut().filter(|kept| kept.stream == number && kept.number > event) {
            kept.is_taken = false;
        }
        Some(Reading { stream: number, event, turn })
    }

    /// Stops reading; the client may come back for the rest.
    pub(crate) fn detach(&self, reading: &Reading) {
        let mut state = self.state();
        let Some(stream) = state.find(reading.stream).filter(|stream| stream.turn == Some(reading.turn))
        else {
            return;
        };
        stream.turn = None;
        stream.reader = None;
        state.trim(&self.keep);
    }

    /// Reads what there is after the place; `write` gets each event's number and message.
    pub(crate) fn read(
        &self,
        reading: &mut Reading,
        context: &Context<'_>,
        mut write: impl FnMut(u32, &[u8]),
    ) -> Next {
        let mut state = self.state();
        let State { streams, events, .. } = &mut *state;
        let stream = streams
            .iter_mut()
            .find(|stream| stream.number == reading.stream && stream.turn == Some(reading.turn));
        let Some(stream) = stream else { return Next::End };
        let mut was_read = false;
        let after = reading.event;
        let is_next = |event: &&mut Event| event.stream == stream.number && event.number > after;
        for event in events.iter_mut().filter(is_next) {
            write(event.number, &event.message);
            event.is_taken = true;
            reading.event = event.number;
            was_read = true;
        }
        match stream.phase {
            Phase::Running if std::mem::take(&mut stream.hangs_up) => return Next::End,
            Phase::Running => stream.wait(context),
            Phase::Cut | Phase::Done => {
                state.trim(&self.keep);
                return Next::End;
            }
        }
        if was_read {
            state.trim(&self.keep);
        }
        Next::Open
    }

    /// Tells whether something is to be said in a stream that nobody reads yet, and asks to be woken when it is.
    pub(crate) fn has_mail(&self, number: u32, context: &Context<'_>) -> bool {
        let mut state = self.state();
        let has_mail = state.events.iter().any(|event| event.stream == number);
        let Some(stream) = state.find(number).filter(|_| !has_mail) else { return has_mail };
        if !stream.hangs_up {
            stream.wait(context);
        }
        stream.hangs_up
    }

    /// Sends the reader of a stream away; the request goes on, and whoever comes back reads the rest.
    pub(crate) fn hang_up(&self, number: u32) {
        let mut state = self.state();
        let runs = |stream: &&mut Stream| stream.is_readable && stream.phase == Phase::Running;
        if let Some(stream) = state.find(number).filter(runs) {
            stream.hangs_up = true;
            stream.wake_reader();
        }
    }

    /// Tells whether someone reads a stream now.
    pub(crate) fn is_read(&self, number: u32) -> bool {
        self.state().find(number).is_some_and(|stream| stream.turn.is_some())
    }

    /// Says that the client left before it could read any of a stream: the request goes on, and nobody hears of it.
    pub(crate) fn abandon(&self, number: u32) {
        let mut state = self.state();
        if let Some(stream) = state.find(number).filter(|stream| !stream.is_resumable) {
            stream.is_readable = false;
            stream.is_awaited = false;
            state.drop_events(&self.keep, |event| event.stream == number);
        }
    }

    /// Tells whether a message in the stream would be read, now or later.
    pub(crate) fn is_readable(&self, number: u32) -> bool {
        self.state().find(number).is_some_and(|stream| stream.is_readable && stream.phase == Phase::Running)
    }

    /// Adds a message to a stream; tells whether anyone may come to read it.
    pub(crate) fn push(&self, number: u32, message: Vec<u8>) -> bool {
        let mut state = self.state();
        let waiting = || state.events.iter().filter(|event| !event.is_taken);
        let is_full = waiting().count() >= MOST_WAITING
            || waiting().map(|event| event.message.len()).sum::<usize>() >= MOST_WAITING_BYTES;
        let takes = |stream: &mut Stream| stream.is_readable && stream.phase == Phase::Running;
        if is_full || !state.find(number).is_some_and(takes) {
            return false;
        }
        state.add(&self.keep, number, message);
        true
    }

    /// Ends a stream, with its last message where there is one.
    pub(crate) fn close(&self, number: u32, last: Option<Vec<u8>>) {
        let mut state = self.state();
        let Some(stream) = state.find(number).filter(|stream| stream.phase == Phase::Running) else { return };
        stream.driver = None;
        match last.filter(|_| stream.is_readable) {
            Some(last) => state.add(&self.keep, number, last),
            None => stream.wake_reader(),
        }
        if let Some(stream) = state.find(number) {
            stream.phase = Phase::Done;
        }
        state.trim(&self.keep);
    }

    /// Withdraws a request that runs, and tells whether there was one.
    pub(crate) fn cancel(&self, id: &Id) -> bool {
        let mut state = self.state();
        let found = state
            .streams
            .iter_mut()
            .find(|stream| stream.phase == Phase::Running && stream.requests.contains(id));
        let Some(stream) = found else { return false };
        stream.requests.retain(|own| own != id);
        if stream.requests.is_empty() {
            stream.cut();
        } else if let Some(driver) = &stream.driver {
            // The others of the batch go on.
            driver.wake_by_ref();
        }
        true
    }

    /// Tells whether a request was withdrawn, and asks to be woken when it is.
    pub(crate) fn is_cut(&self, number: u32, context: &Context<'_>) -> bool {
        let mut state = self.state();
        match state.find(number) {
            Some(stream) if stream.phase == Phase::Running => {
                set(&mut stream.driver, context);
                false
            }
            Some(stream) => stream.phase == Phase::Cut,
            None => true,
        }
    }

    /// Tells whether a request of a stream is still wanted.
    pub(crate) fn wants(&self, number: u32, id: &Id) -> bool {
        self.state().find(number).is_some_and(|stream| stream.requests.contains(id))
    }

    /// Forgets a stream that was withdrawn or answered in another way.
    pub(crate) fn forget(&self, number: u32) {
        let mut state = self.state();
        state.streams.retain(|stream| stream.number != number);
        state.drop_events(&self.keep, |event| event.stream == number);
    }

    /// Ends every stream.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        state.streams.iter_mut().for_each(Stream::cut);
        state.drop_events(&self.keep, |_| true);
    }

    /// Tells whether anyone reads a stream or waits for an answer.
    pub(crate) fn are_in_use(&self) -> bool {
        self.state().streams.iter().any(|stream| stream.turn.is_some() || stream.is_awaited)
    }

    /// Forgets what was read before the last sweep.
    pub(crate) fn age(&self) {
        let mut state = self.state();
        state.drop_events(&self.keep, |event| event.is_taken && event.is_old);
        for event in state.events.iter_mut().filter(|event| event.is_taken) {
            event.is_old = true;
        }
        state.trim(&self.keep);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        let bytes = self.state().bytes;
        self.keep.all.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;

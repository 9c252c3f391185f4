//! The way out for a request that stands alone: its notifications wait for the one stream that can carry them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use diglot_proto::jsonrpc::{Id, RpcError, codes};
use serde_json::value::RawValue;

use crate::future::BoxFuture;
use crate::http::serve::frame;
use crate::http::serve::wire::Wire;
use crate::server::outlet::Outlet;

/// The most notifications that wait for the stream; later ones are lost.
///
/// A handler that is run by the stream waits with it. Only tasks that a handler starts can come this far.
const MOST_WAITING: usize = 1_024;

/// The most bytes of notifications that wait for the stream; later ones are lost.
const MOST_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// What a request emits before its answer.
pub(super) struct Mailbox {
    /// Whether the client accepts an event stream.
    is_readable: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    has_ended: bool,
    reader: Option<Waker>,
}

impl Mailbox {
    pub(super) fn new(is_readable: bool) -> Self {
        Self { is_readable, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, message: Vec<u8>, has_ended: bool) {
        let mut state = self.state();
        let is_full = state.waiting.len() >= MOST_WAITING || state.bytes >= MOST_WAITING_BYTES;
        if state.has_ended || (!has_ended && is_full) {
            return;
        }
        state.bytes += message.len();
        state.waiting.push_back(message);
        state.has_ended = has_ended;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }
}

impl State {
    fn wait(&mut self, context: &Context<'_>) {
        match &mut self.reader {
            Some(reader) => reader.clone_from(context.waker()),
            None => self.reader = Some(context.waker().clone()),
        }
    }
}

impl Outlet for Mailbox {
    fn notify(&self, message: Vec<u8>) {
        if self.is_readable {
            self.add(message, false);
        }
    }

    fn ask(
        &self,
        method: &'static str,
        _params: Option<Box<RawValue>>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        // Only a session has someone to ask, and its requests have another way out.
        let what = format!("{method} cannot be sent: the client has no session");
        Box::pin(std::future::ready(Err(RpcError::new(codes::INTERNAL_ERROR, what))))
    }
}

impl Wire for Mailbox {
    fn is_cut(&self, _context: &Context<'_>) -> bool {
        false
    }

    fn wants(&self, _id: &Id) -> bool {
        true
    }

    fn has_mail(&self, context: &Context<'_>) -> bool {
        if !self.is_readable {
            return false;
        }
        let mut state = self.state();
        if state.waiting.is_empty() {
            state.wait(context);
        }
        !state.waiting.is_empty()
    }

    fn begin(&self, _out: &mut Vec<u8>) {}

    fn read(&self, context: &Context<'_>, out: &mut Vec<u8>) -> Poll<()> {
        let mut state = self.state();
        state.bytes = 0;
        for waiting in state.waiting.drain(..) {
            frame::message(out, &waiting);
        }
        if state.has_ended {
            return Poll::Ready(());
        }
        state.wait(context);
        Poll::Pending
    }

    fn close(&self, last: Option<Vec<u8>>) {
        match last {
            Some(last) => self.add(last, true),
            None => self.state().has_ended = true,
        }
    }

    fn answered(&self) {}

    fn left(&self) -> bool {
        false
    }
}

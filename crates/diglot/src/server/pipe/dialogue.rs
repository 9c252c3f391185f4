//! What one pipe's lines mean and what is under way because of them.
//!
//! Every message is judged alone: what fails changes nothing for what follows. The only thing that a line leaves behind
//! for later ones is the legacy session that `initialize` opens; a modern request does not look at it.

use std::collections::HashMap;
use std::sync::Arc;

use diglot_proto::jsonrpc::{self, Id, Message, Parsed, RpcError, Unreadable, codes};
use diglot_proto::lifecycle::classify::Rejection;
use diglot_proto::lines::Line;
use diglot_proto::method::Method;
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use super::batch::{BatchId, Batches};
use super::channel::Channel;
use super::outlet::{PipeOutlet, cancelled};
use super::push;
use super::tasks::{End, Started, Tasks, dispose};
use crate::server::answer::{self, Outcome};
use crate::server::core::Core;
use crate::server::handshake;
use crate::server::intake::{self, Intake, LegacyWork, Work};
use crate::server::job::Facts;
use crate::server::listen;
use crate::server::run;
use crate::server::session::Session;

/// The most subscriptions of a modern client that one pipe carries.
const SUBSCRIPTIONS: usize = 256;

/// The most bytes that the requests under way may have had; past it nothing is read until some end.
const HELD_BYTES: usize = 64 * 1024 * 1024;

/// One pipe's state.
pub(super) struct Dialogue {
    core: Arc<Core>,
    channel: Arc<Channel>,
    tasks: Tasks<About>,
    /// The requests under way, by their ids: where each of them runs.
    open: HashMap<Id, usize>,
    /// How many of them are subscriptions.
    subscriptions: usize,
    /// How many bytes they had.
    held: usize,
    batches: Batches,
    session: Option<Arc<Session>>,
    /// Where the pushing of changes to the legacy client runs.
    push: Option<usize>,
    is_ending: bool,
    /// Kept for its memory.
    ended: Vec<(About, End)>,
}

/// What is kept of something that runs.
enum About {
    Request(Asked),
    Push,
}

/// A request under way.
struct Asked {
    id: Id,
    era: Era,
    is_subscription: bool,
    bytes: usize,
    batch: Option<BatchId>,
    outlet: Arc<PipeOutlet>,
}

impl Dialogue {
    pub(super) fn new(core: Arc<Core>, channel: Arc<Channel>) -> Self {
        Self {
            core,
            tasks: Tasks::new(channel.clone()),
            channel,
            open: HashMap::new(),
            subscriptions: 0,
            held: 0,
            batches: Batches::default(),
            session: None,
            push: None,
            is_ending: false,
            ended: Vec::new(),
        }
    }

    /// Tells whether the next line may be taken.
    ///
    /// A session with open questions is always read, since requests may wait for its answers.
    pub(super) fn takes_more(&self) -> bool {
        !self.is_full() || self.session.as_ref().is_some_and(|session| session.is_asking())
    }

    fn is_full(&self) -> bool {
        self.open.len() - self.subscriptions >= self.core.settings.pipe.requests || self.held >= HELD_BYTES
    }

    /// Tells whether the input has ended and all is answered.
    pub(super) fn is_over(&self) -> bool {
        self.is_ending && self.open.is_empty()
    }

    /// Lets whatever was woken go on, and tells whether anything was.
    pub(super) fn go_on(&mut self) -> bool {
        let mut ended = std::mem::take(&mut self.ended);
        let is_any = self.tasks.poll_woken(&mut ended);
        for (about, end) in ended.drain(..) {
            if let About::Request(asked) = about {
                self.open.remove(&asked.id);
                self.forget(&asked);
                self.finish(&asked, &outcome_of(end));
            }
        }
        self.ended = ended;
        is_any
    }

    /// Ends subscriptions and questions: nothing more comes in.
    pub(super) fn end_input(&mut self) {
        self.is_ending = true;
        self.channel.end_input();
        self.stop_pushing();
        if let Some(session) = &self.session {
            session.abandon();
        }
        let indices: Vec<usize> = self.open.values().copied().collect();
        for index in indices {
            if self.tasks.about(index).is_some_and(About::is_subscription)
                && let Some(asked) = self.withdraw(index)
            {
                self.finish(&asked, &listen::ended(&asked.id));
            }
        }
    }

    /// Takes a line.
    pub(super) fn take(&mut self, line: Line<'_>) {
        match line {
            Line::Text(text) => match jsonrpc::parse(text) {
                Ok(Parsed::One(message)) => self.message(&message, text.len(), None),
                Ok(Parsed::Batch(messages)) => self.batch(&messages, text.len()),
                Ok(_) => {}
                Err(unreadable) => self.unreadable(&unreadable, None),
            },
            Line::TooLong { length, prefix } => self.too_long(length, prefix),
            _ => {}
        }
    }
}

/// What came in.
impl Dialogue {
    fn message(&mut self, message: &Message<'_>, bytes: usize, batch: Option<BatchId>) {
        if let Message::Notification(notification) = message
            && notification.method == Method::Initialized.as_str()
        {
            return self.start_pushing();
        }
        let intake = match batch {
            None => intake::take_in(&self.core, message, None, &Facts::default()),
            Some(_) => intake::take_in_batch(&self.core, message, None, &Facts::default()),
        };
        match intake {
            Intake::Modern(work) => self.start(work, bytes, batch),
            Intake::Initialize(id, params) => self.initialize(&id, params.as_deref()),
            Intake::Legacy(work) => self.legacy(work, bytes, batch),
            Intake::Cancel(id) => self.cancel(&id),
            Intake::Answer(response) => {
                if let Some(session) = &self.session {
                    session.answered(response);
                }
            }
            Intake::Noted => {}
            // Nobody waits for the answer to a notification.
            Intake::Refused(rejection) if rejection.id.is_none() => {}
            Intake::Refused(rejection) => self.reply(batch, &rejection.body()),
        }
    }

    fn batch(&mut self, messages: &[Result<Message<'_>, Unreadable>], bytes: usize) {
        let is_agreed =
            self.session.as_ref().is_some_and(|session| session.revision == Revision::V2025_03_26);
        if !is_agreed {
            let what = "a batch is not accepted here; send each message alone";
            return self.channel.push(&jsonrpc::write_error(None, &invalid_request(what)));
        }
        let id = self.batches.begin();
        for message in messages {
            match message {
                Ok(message) => self.message(message, bytes / messages.len().max(1), Some(id)),
                Err(unreadable) => self.unreadable(unreadable, Some(id)),
            }
        }
        self.release(Some(id));
    }

    fn unreadable(&mut self, unreadable: &Unreadable, batch: Option<BatchId>) {
        if !unreadable.is_reply {
            self.reply(batch, &Rejection::from(unreadable).body());
        }
    }

    fn too_long(&mut self, length: usize, prefix: &[u8]) {
        // A message that is cut off still shows its id and what it was.
        let (id, is_reply) = match jsonrpc::parse(prefix) {
            Err(unreadable) => (unreadable.id, unreadable.is_reply),
            Ok(_) => (None, false),
        };
        if !is_reply {
            let limit = self.core.settings.pipe.message_bytes;
            let what = format!("a message of {length} bytes is over the limit of {limit} bytes");
            self.channel.push(&jsonrpc::write_error(id.as_ref(), &invalid_request(&what)));
        }
    }

    fn cancel(&mut self, id: &Id) {
        let Some(index) = self.open.get(id).copied() else { return };
        if let Some(asked) = self.withdraw(index) {
            self.release(asked.batch);
        }
    }
}

/// The legacy session.
impl Dialogue {
    /// Opens the session; another `initialize` begins it anew, as bridges that reconnect to a running server expect.
    fn initialize(&mut self, id: &Id, params: Option<&RawValue>) {
        if self.open.contains_key(id) {
            return self.refuse(id, IN_USE, None);
        }
        let bytes = match handshake::initialize(&self.core, params) {
            Ok((outcome, session)) => {
                self.stop_pushing();
                if let Some(former) = self.session.take() {
                    session.follow(&former);
                    former.abandon();
                }
                self.session = Some(Arc::new(session));
                answer::write(id, &outcome, Era::Legacy, None)
            }
            Err(error) => jsonrpc::write_error(Some(id), &error),
        };
        self.channel.push(&bytes);
    }

    fn legacy(&mut self, work: LegacyWork, bytes: usize, batch: Option<BatchId>) {
        let newest = self.core.settings.legacy().iter().copied().max();
        let session = self.session.clone().ok_or(newest.unwrap_or(Revision::V2025_11_25));
        let has_session = session.is_ok();
        match work.of(session, Facts::default()) {
            Ok(work) if has_session || work.method == Method::Ping => self.start(work, bytes, batch),
            Ok(work) => {
                let what = "the server is not initialized: send initialize first, or a request with the metadata \
                            of revision 2026-07-28";
                self.refuse(&work.id, what, batch);
            }
            Err(rejection) => self.reply(batch, &rejection.body()),
        }
    }

    fn start_pushing(&mut self) {
        let (None, Some(session)) = (self.push, &self.session) else { return };
        let pushing = push::push(self.core.clone(), session.clone(), self.channel.clone());
        if let Started::Waits(index) = self.tasks.start(About::Push, Box::pin(pushing)) {
            self.push = Some(index);
        }
    }

    fn stop_pushing(&mut self) {
        if let Some((_, running)) = self.push.take().and_then(|index| self.tasks.take(index)) {
            dispose(running);
        }
    }
}

/// What is under way.
impl Dialogue {
    fn start(&mut self, work: Work, bytes: usize, batch: Option<BatchId>) {
        let is_subscription = work.method == Method::Listen;
        if self.open.contains_key(&work.id) {
            return self.refuse(&work.id, IN_USE, batch);
        }
        if is_subscription && self.subscriptions >= SUBSCRIPTIONS {
            let what = format!("the limit of {SUBSCRIPTIONS} subscriptions is reached");
            return self.refuse(&work.id, &what, batch);
        }
        if batch.is_none() && self.is_full() {
            return self.refuse(&work.id, "too many requests are under way; send it again later", batch);
        }
        let outlet = Arc::new(PipeOutlet::new(self.channel.clone(), work.caller.session.clone()));
        let id = work.id.clone();
        let era = work.caller.era();
        let asked = Asked { id, era, is_subscription, bytes, batch, outlet: outlet.clone() };
        let running = run::run(self.core.clone(), work.through(outlet));
        match self.tasks.start(About::Request(asked), Box::pin(running)) {
            Started::Ended(About::Request(asked), end) => self.answer(&asked, &outcome_of(end)),
            Started::Ended(About::Push, _) => {}
            Started::Waits(index) => self.note(index),
        }
    }

    /// Counts a request that did not end at once.
    fn note(&mut self, index: usize) {
        let Some(About::Request(asked)) = self.tasks.about(index) else { return };
        self.open.insert(asked.id.clone(), index);
        self.subscriptions += usize::from(asked.is_subscription);
        self.held += asked.bytes;
        if let Some(batch) = asked.batch {
            self.batches.hold(batch);
        }
    }

    /// Takes a request from the counts.
    fn forget(&mut self, asked: &Asked) {
        self.subscriptions -= usize::from(asked.is_subscription);
        self.held -= asked.bytes;
    }

    /// Stops a request, about which nothing more is sent by itself.
    fn withdraw(&mut self, index: usize) -> Option<Asked> {
        let (about, running) = self.tasks.take(index)?;
        let About::Request(asked) = about else { return None };
        asked.outlet.close();
        dispose(running);
        self.open.remove(&asked.id);
        self.forget(&asked);
        Some(asked)
    }

    /// Answers a request that had to wait.
    fn finish(&mut self, asked: &Asked, outcome: &Outcome) {
        self.answer(asked, outcome);
        self.release(asked.batch);
        if asked.is_subscription {
            // The result says that the end was orderly, the notification that it was the server's doing.
            self.channel.push(&cancelled(&asked.id));
        }
    }

    fn answer(&mut self, asked: &Asked, outcome: &Outcome) {
        asked.outlet.close();
        let line = answer::write(&asked.id, outcome, asked.era, self.core.settings.shown_identity());
        self.reply(asked.batch, &line);
    }

    fn refuse(&mut self, id: &Id, what: &str, batch: Option<BatchId>) {
        self.reply(batch, &jsonrpc::write_error(Some(id), &invalid_request(what)));
    }

    /// Sends an answer, or keeps it for the batch that it is part of.
    fn reply(&mut self, batch: Option<BatchId>, answer: &[u8]) {
        match batch {
            None => self.channel.push(answer),
            Some(batch) => self.batches.add(batch, answer),
        }
    }

    fn release(&mut self, batch: Option<BatchId>) {
        if let Some(answers) = batch.and_then(|batch| self.batches.release(batch)) {
            self.channel.push(&answers);
        }
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // Handlers may have started tasks that outlive the pipe and still ask.
        self.channel.close();
        if let Some(session) = &self.session {
            session.abandon();
        }
    }
}

impl About {
    fn is_subscription(&self) -> bool {
        matches!(self, Self::Request(asked) if asked.is_subscription)
    }
}

const IN_USE: &str = "another request with this id is under way";

fn invalid_request(what: &str) -> RpcError {
    RpcError::new(codes::INVALID_REQUEST, format!("Invalid request: {what}"))
}

fn outcome_of(end: End) -> Outcome {
    match end {
        End::Outcome(outcome) => outcome,
        End::Panicked => {
            Outcome::Error(RpcError::new(codes::INTERNAL_ERROR, "Internal error: the handler panicked"))
        }
    }
}

//! The answer to one request, read as it comes: a whole body, or a stream of events.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use diglot_proto::http::response::{Manner, manner, sniff};
use diglot_proto::jsonrpc::{self, Id, Message, recover_id};
use tokio::sync::watch;

use crate::error::TransportError;
use crate::http::adapter::Body;
use crate::http::cancel::Cancellation;
use crate::http::drain::drain;
use crate::http::fault;
use crate::http::reply::{Collected, Head, inbound};
use crate::http::resume::{Resume, Tried};
use crate::http::secrets::Secrets;
use crate::http::stream::{Events, Said};
use crate::http::wire::{Wire, closing};
use crate::transport::{BoxFuture, ExchangeSource, Inbound};

/// How many bytes of a body that nothing labels tell for certain what it is.
const TELLING: usize = "retry:".len();

/// The answer to a request, whose head has come and was a success.
pub(super) struct Answer {
    wire: Arc<Wire>,
    closed: watch::Receiver<bool>,
    cancellation: Cancellation,
    id: Id,
    head: Head,
    /// The body, until all of it that matters has come.
    body: Option<Body>,
    reading: Reading,
    /// How a stream that ends before the answer is taken up again, where the era and the request allow it.
    resume: Option<Resume>,
    ready: VecDeque<Inbound>,
}

/// How the body is being read.
enum Reading {
    Unlabelled(Collected),
    Whole(Collected),
    Stream(Box<Events>),
    /// The stream is about to be taken up again.
    Resuming(BoxFuture<'static, Tried>),
    Over,
}

impl Reading {
    /// Begins to read a body as its head says.
    fn of(head: &Head, limit: usize) -> Self {
        match manner(head.status, head.content_type.as_deref()) {
            Manner::Stream => Self::Stream(Box::new(Events::new(limit))),
            Manner::Unlabelled => Self::Unlabelled(Collected::new(limit)),
            _ => Self::Whole(Collected::new(limit)),
        }
    }
}

impl Answer {
    /// Reads the answer to a request; `resumes` says that its stream may be taken up again (legacy era only).
    pub(super) fn new(
        wire: Arc<Wire>,
        cancellation: Cancellation,
        id: Id,
        (head, body): (Head, Body),
        resumes: bool,
    ) -> Self {
        let reading = Reading::of(&head, wire.limits.message_bytes);
        let closed = wire.closed.subscribe();
        let resume = resumes.then(|| Resume::new(wire.clone()));
        let ready = VecDeque::new();
        Self { wire, closed, cancellation, id, head, body: Some(body), reading, resume, ready }
    }

    async fn advance(&mut self) -> Option<Result<Inbound, TransportError>> {
        loop {
            if self.ready.front().is_some_and(|inbound| self.is_answer(inbound)) {
                self.settle().await;
            }
            if let Some(inbound) = self.ready.pop_front() {
                return Some(Ok(inbound));
            }
            if self.read_event() {
                continue;
            }
            if let Reading::Resuming(trying) = &mut self.reading {
                let tried = tokio::select! {
                    biased;
                    tried = trying => tried,
                    () = closing(&mut self.closed) => {
                        let ended = self.wire.ended().after_sending();
                        return self.fail(ended);
                    }
                };
                match self.resumed(tried) {
                    Ok(()) => continue,
                    Err(lost) => return self.fail(lost),
                }
            }
            let body = self.body.as_mut()?;
            let chunk = tokio::select! {
                biased;
                chunk = body.chunk() => chunk,
                () = closing(&mut self.closed) => {
                    let ended = self.wire.ended().after_sending();
                    return self.fail(ended);
                }
            };
            match chunk {
                Some(Ok(chunk)) => self.take_in(chunk),
                Some(Err(error)) => {
                    let lost = fault::of_body(error, self.head.status, &self.wire.endpoint.target());
                    if !self.take_up() {
                        return self.fail(lost);
                    }
                }
                None if self.is_cut() => {
                    let error = "the stream ended in the middle of an event".into();
                    let lost = fault::of_body(error, self.head.status, &self.wire.endpoint.target());
                    if !self.take_up() {
                        return self.fail(lost);
                    }
                }
                None if self.take_up() => {}
                None => self.complete(),
            }
        }
    }

    /// Prepares to take a stream up again that ended without the answer, and tells whether that can be tried.
    fn take_up(&mut self) -> bool {
        let (Some(resume), Reading::Stream(events)) = (&mut self.resume, &self.reading) else { return false };
        let Some(trying) = resume.after(events) else { return false };
        self.body = None;
        self.reading = Reading::Resuming(trying);
        true
    }

    /// Goes on from what came of a try to take the stream up again.
    fn resumed(&mut self, tried: Tried) -> Result<(), TransportError> {
        match tried {
            Tried::Open(head, body) => {
                self.reading = Reading::of(&head, self.wire.limits.message_bytes);
                (self.head, self.body) = (*head, Some(body));
            }
            Tried::Answered(reply) => self.end_with(reply),
            Tried::Refused(lost) => return Err(lost),
            Tried::Failed(lost) => match self.resume.as_mut().and_then(Resume::again) {
                Some(trying) => self.reading = Reading::Resuming(trying),
                None => return Err(lost),
            },
        }
        Ok(())
    }

    fn fail(&mut self, error: TransportError) -> Option<Result<Inbound, TransportError>> {
        self.end();
        Some(Err(error))
    }

    /// Reads the next event of a stream that has come already, and tells whether there was one.
    fn read_event(&mut self) -> bool {
        let Reading::Stream(events) = &mut self.reading else { return false };
        match events.next() {
            None => return false,
            Some(Said::Message(text)) => {
                self.resume.as_mut().map(Resume::progressed);
                let messages = messages(&text, self.wire.endpoint.secrets());
                self.ready.extend(messages.into_iter().filter(|inbound| concerns(inbound, &self.id)));
            }
            Some(Said::TooLong(length, prefix)) => match recover_id(prefix.as_bytes()) {
                // Something large about another request is not worth failing this one.
                Some(id) if id != self.id => {
                    tracing::warn!(length, "skipped an event over the message limit")
                }
                _ => self.end_with(Inbound::TooLarge(self.wire.limits.message_bytes)),
            },
            Some(Said::Endpoint(endpoint)) => self.end_with(Inbound::Endpoint(endpoint)),
        }
        true
    }

    /// Tells whether a message ends the exchange; an error that names no request belongs to this one.
    fn is_answer(&self, inbound: &Inbound) -> bool {
        match inbound {
            Inbound::Message(Message::Response(response)) => {
                response.id.matches(&self.id) || response.id.is_nullish()
            }
            Inbound::Unreadable(unreadable) => unreadable.id.as_ref() == Some(&self.id),
            _ => false,
        }
    }

    fn take_in(&mut self, chunk: Bytes) {
        let fits = match &mut self.reading {
            Reading::Stream(events) => {
                events.push(&chunk);
                true
            }
            Reading::Whole(kept) | Reading::Unlabelled(kept) => kept.push(chunk),
            Reading::Resuming(_) | Reading::Over => true,
        };
        if !fits {
            return self.end_with(Inbound::TooLarge(self.wire.limits.message_bytes));
        }
        if let Reading::Unlabelled(kept) = &mut self.reading {
            let start = kept.as_slice();
            let is_told = start.trim_ascii_start().len() >= TELLING;
            match sniff(start) {
                Manner::Stream => {
                    let mut events = Box::new(Events::new(self.wire.limits.message_bytes));
                    events.push(&Bytes::copy_from_slice(start));
                    self.reading = Reading::Stream(events);
                }
                _ if is_told => {
                    let limit = self.wire.limits.message_bytes;
                    self.reading = Reading::Whole(std::mem::replace(kept, Collected::new(limit)));
                }
                _ => {}
            }
        }
    }

    /// Tells whether a stream that ends here ends in the middle of an event, which is no clean end.
    fn is_cut(&self) -> bool {
        matches!(&self.reading, Reading::Stream(events) if events.is_within_event())
    }

    /// Reads what has come, now that the body has ended.
    fn complete(&mut self) {
        let reading = std::mem::replace(&mut self.reading, Reading::Over);
        if let Reading::Whole(kept) | Reading::Unlabelled(kept) = reading {
            let excerpt_bytes = self.wire.limits.excerpt_bytes;
            let secrets = self.wire.endpoint.secrets();
            self.ready.extend(self.head.messages(kept.as_slice(), secrets, excerpt_bytes));
        }
        self.end();
    }

    /// Ends the exchange with its answer: what follows of the body is nobody's.
    async fn settle(&mut self) {
        let body = self.body.take();
        self.end();
        if let Some(body) = body {
            drain(body).await;
        }
    }

    fn end_with(&mut self, inbound: Inbound) {
        self.end();
        self.ready.push_back(inbound);
    }

    /// Ends the exchange; what is ready can still be taken.
    fn end(&mut self) {
        self.cancellation.disarm();
        self.body = None;
        self.reading = Reading::Over;
    }
}

/// Reads the messages in the text of an event.
fn messages(text: &str, secrets: &Secrets) -> Vec<Inbound> {
    match jsonrpc::parse(text.as_bytes()) {
        Ok(parsed) => inbound(parsed, secrets),
        Err(unreadable) => vec![Inbound::Unreadable(unreadable)],
    }
}

/// Tells whether something on the stream of a request is worth telling its caller: what cannot be read is only if it
/// belongs to that request.
fn concerns(inbound: &Inbound, id: &Id) -> bool {
    let Inbound::Unreadable(unreadable) = inbound else { return true };
    let concerns = unreadable.id.as_ref() == Some(id);
    if !concerns {
        tracing::debug!(kind = ?unreadable.kind, "skipped an event that is no message");
    }
    concerns
}

impl ExchangeSource for Answer {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Inbound, TransportError>>> {
        Box::pin(self.advance())
    }
}

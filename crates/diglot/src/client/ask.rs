//! Asking an opening question, and telling what came back as evidence.

use std::time::Duration;

use diglot_proto::http::response::excerpt;
use diglot_proto::jsonrpc::{Id, Message, Response};
use diglot_proto::lifecycle::{Asked, Binding, Evidence, Seen};
use tokio::time::Instant;

use crate::client::input::Handlers;
use crate::client::observers::Observers;
use crate::client::wire::Wire;
use crate::error::{TransportError, TransportFault};
use crate::transport::{Exchange, HttpReply, Inbound, Outbound, ReplyBody};

/// What came back to an opening request.
pub(super) struct Answer {
    pub(super) evidence: Evidence,
    /// The same thing as it came, for the error that it may become.
    pub(super) came: Came,
    /// The exchange, where it is still open since the time ran out.
    pub(super) unanswered: Option<Exchange>,
    pub(super) elapsed: Duration,
}

/// What came back, as it came.
#[derive(Debug, Default)]
pub(super) enum Came {
    /// Nothing, or a message that the evidence holds whole.
    #[default]
    Message,
    /// An HTTP answer that is no message.
    Reply(Box<HttpReply>),
    /// A failure of the wire.
    Lost(TransportError),
}

/// The facts that every reading of an answer hangs on.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) id: &'a Id,
    pub(super) asked: Asked,
    pub(super) binding: Binding,
    pub(super) excerpt_bytes: usize,
    /// Who answers what the server asks meanwhile.
    pub(super) handlers: &'a Handlers,
    /// Who is told of the notifications that come meanwhile.
    pub(super) observers: &'a Observers,
}

/// Sends an opening request and waits for its answer within a budget.
pub(super) async fn ask(wire: &Wire, outbound: Outbound, question: Question<'_>, budget: Duration) -> Answer {
    let began = Instant::now();
    let mut exchange = None;
    let outcome = tokio::time::timeout(budget, async {
        match wire.connection.send(outbound).await {
            Ok(open) => listen(exchange.insert(open), wire, question).await,
            Err(error) => lost(error, question.binding),
        }
    });
    let (evidence, came) = match outcome.await {
        Ok(read) => {
            exchange = None;
            read
        }
        Err(_) => (Evidence::new(question.binding, None, Seen::Silence), Came::Message),
    };
    // Over HTTP a request that got no answer in time is withdrawn by closing its connection; on a pipe its answer
    // may still come, and then it counts (rule 7).
    let unanswered = exchange.filter(|_| question.binding == Binding::Pipe);
    Answer { evidence, came, unanswered, elapsed: began.elapsed() }
}

/// Waits for the answer in an open exchange.
pub(super) async fn listen(exchange: &mut Exchange, wire: &Wire, question: Question<'_>) -> (Evidence, Came) {
    loop {
        return match exchange.next().await {
            None => (evidence(question, Seen::NoAnswer), Came::Message),
            Some(Err(error)) => lost(error, question.binding),
            Some(Ok(Inbound::Message(Message::Response(response)))) => answered(&response, question),
            Some(Ok(Inbound::Message(Message::Request(request)))) => {
                super::serve::answer(&wire.connection, question.handlers, request, None);
                continue;
            }
            // Notifications say nothing that negotiation could use.
            Some(Ok(Inbound::Message(Message::Notification(notification)))) => {
                question.observers.tell(&notification);
                continue;
            }
            Some(Ok(Inbound::Message(_) | Inbound::Missed)) => continue,
            Some(Ok(Inbound::Unreadable(unreadable))) => {
                let seen = evidence(question, Seen::Unreadable);
                (seen.excerpt(unreadable.to_string()), Came::Message)
            }
            Some(Ok(Inbound::TooLarge(limit))) => {
                let limit = u64::try_from(limit).unwrap_or(u64::MAX);
                (evidence(question, Seen::TooLarge(limit)), Came::Message)
            }
            Some(Ok(Inbound::Endpoint(endpoint))) => {
                (evidence(question, Seen::EndpointEvent).excerpt(endpoint), Came::Message)
            }
            Some(Ok(Inbound::Http(reply))) => replied(reply, question),
        };
    }
}

/// States what was seen in a successful answer.
fn evidence(question: Question<'_>, seen: Seen) -> Evidence {
    match question.binding {
        Binding::Http => Evidence::http(200, seen),
        _ => Evidence::pipe(seen),
    }
}

fn answered(response: &Response<'_>, question: Question<'_>) -> (Evidence, Came) {
    let seen = Seen::response(response, question.id, question.asked);
    let text = match &response.outcome {
        Ok(result) => excerpt(result.get().as_bytes(), question.excerpt_bytes),
        Err(error) => excerpt(error.to_string().as_bytes(), question.excerpt_bytes),
    };
    (evidence(question, seen).excerpt(text), Came::Message)
}

fn replied(reply: Box<HttpReply>, question: Question<'_>) -> (Evidence, Came) {
    let seen = match &reply.body {
        ReplyBody::Rpc(response) => Seen::response(response, question.id, question.asked),
        ReplyBody::Unreadable(_) => Seen::Unreadable,
        ReplyBody::OtherJson => Seen::OtherJson,
        ReplyBody::WebPage(title) => Seen::WebPage(title.clone()),
        ReplyBody::Text => Seen::Text,
        ReplyBody::Empty if reply.is_success() => Seen::NoAnswer,
        ReplyBody::Empty => Seen::Empty,
        ReplyBody::TooLarge(limit) => Seen::TooLarge(u64::try_from(*limit).unwrap_or(u64::MAX)),
    };
    let evidence = Evidence::http(reply.status, seen).excerpt(reply.excerpt.clone());
    (evidence, Came::Reply(reply))
}

/// Reads a failure of the wire as evidence.
pub(super) fn lost(error: TransportError, binding: Binding) -> (Evidence, Came) {
    let seen = match (&error.fault, binding) {
        (TransportFault::Redirect { location, .. }, _) => Seen::Redirect(location.clone()),
        (TransportFault::Exited(_), _) => Seen::Exited,
        (TransportFault::ForeignEndpoint { endpoint }, _) => Seen::ForeignEndpoint(endpoint.clone()),
        (TransportFault::NoEventStream { page_title: Some(title) }, _) => Seen::WebPage(Some(title.clone())),
        (TransportFault::NoEventStream { .. } | TransportFault::NoEndpoint, _) => Seen::NoAnswer,
        (TransportFault::Ended | TransportFault::Broken, Binding::Pipe) => Seen::Exited,
        _ => Seen::Unreachable,
    };
    let evidence = Evidence::new(binding, error.status, seen);
    (evidence.excerpt(error.to_string()), Came::Lost(error))
}

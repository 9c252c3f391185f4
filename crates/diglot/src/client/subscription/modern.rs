//! A subscription at a modern server: one request that stays open (`basic/patterns/subscriptions`).

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::http::resume::Resumption;
use diglot_proto::jsonrpc::{Id, Message, Notification};
use diglot_proto::meta;
use diglot_proto::types::{AcknowledgedParams, ListenParams, SubscriptionFilter};
use diglot_proto::version::Era;
use serde_json::value::to_raw_value;
use tokio::time::Instant;

use super::change::{Change, Interruption};
use super::ended::Ended;
use super::listens::{Source, Subscriber};
use crate::client::failure;
use crate::client::live::Inner;
use crate::client::remedy::Failed;
use crate::client::request::{Call, Options};
use crate::client::wire::Live;
use crate::error::{Phase, ProtocolError, TimeoutError, Violation};
use crate::transport::{Exchange, Inbound};

pub(super) const METHOD: &str = "subscriptions/listen";

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// How long a stream that brings nothing must last to count as one that works.
const LASTING: Duration = Duration::from_secs(10);

/// An open request; dropping it withdraws it in the way of its wire.
pub(super) struct Stream {
    exchange: Exchange,
    id: Id,
    opened: Instant,
}

impl Stream {
    /// Sends the request and waits until it is acknowledged.
    pub(super) async fn open(
        inner: &Inner,
        live: &Arc<Live>,
        subscriber: &Subscriber,
    ) -> Result<Self, Failed> {
        let params = to_raw_value(&ListenParams::new(subscriber.wanted.clone()));
        let call = Call {
            method: METHOD.into(),
            params: Some(params.expect("a filter holds texts and booleans")),
            is_safe: true,
            takes_input: false,
        };
        let id = inner.ids.next();
        let outbound = inner.outbound(live, &call, &id, &Options::default())?;
        // What comes before the acknowledgement is early, and a change all the same.
        subscriber.feed(Source::Request(id.clone()));
        let budget = inner.settings.timeout;
        let asking = async {
            let exchange = live.wire.connection.send(outbound).await?;
            acknowledged(exchange, inner, &id).await
        };
        let Ok(answered) = tokio::time::timeout(budget, asking).await else {
            let stderr = live.wire.connection.stderr_tail();
            return Err(TimeoutError { stderr, ..TimeoutError::new(Phase::Request, METHOD, budget) }.into());
        };
        let (exchange, granted) = answered?;
        // A server that does not say what it grants can only mean all of it.
        subscriber.acknowledge(granted.unwrap_or_else(|| subscriber.wanted.clone()));
        Ok(Self { exchange, id, opened: Instant::now() })
    }

    /// Hears what comes until nothing more does.
    pub(super) async fn read(
        &mut self,
        inner: &Inner,
        subscriber: &Subscriber,
        resumption: &mut Resumption,
    ) -> Ended {
        let ended = loop {
            match self.exchange.next().await {
                Some(Ok(Inbound::Message(Message::Notification(notification)))) => {
                    resumption.progressed();
                    inner.settings.observers.tell(&notification);
                    if subscriber.mailbox.has_ended() {
                        return Ended::Over;
                    }
                }
                Some(Ok(Inbound::Message(Message::Response(response)))) if response.id.matches(&self.id) => {
                    return match response.outcome {
                        Ok(_) => Ended::Over,
                        Err(error) => Ended::Failed(error.into()),
                    };
                }
                Some(Ok(Inbound::Message(_))) => {
                    tracing::debug!("a message that has no place on a subscription is dropped");
                }
                Some(Ok(Inbound::Missed)) => {
                    subscriber.mailbox.push(Change::Interrupted(Interruption::Overflow));
                }
                Some(Ok(other)) => {
                    return Ended::Failed(failure::instead_of_answer(other, METHOD, &self.id, Era::Modern));
                }
                Some(Err(error)) => break error.into(),
                None => break ProtocolError::new(Violation::NoAnswer, METHOD).into(),
            }
        };
        if self.opened.elapsed() >= LASTING {
            resumption.progressed();
        }
        // The server may have ended it in words of its own before the stream broke off.
        match subscriber.mailbox.has_ended() {
            true => Ended::Over,
            false => Ended::Lost(ended),
        }
    }
}

/// Waits for the acknowledgement, and returns what it grants, where it says so.
async fn acknowledged(
    mut exchange: Exchange,
    inner: &Inner,
    id: &Id,
) -> Result<(Exchange, Option<SubscriptionFilter>), Failed> {
    loop {
        match exchange.next().await {
            Some(Ok(Inbound::Message(Message::Notification(notification)))) => {
                inner.settings.observers.tell(&notification);
                if let Some(granted) = acknowledgement(&notification, id) {
                    return Ok((exchange, granted));
                }
            }
            Some(Ok(Inbound::Message(Message::Response(response)))) if response.id.matches(id) => {
                response.outcome?;
                let violation = Violation::WrongShape("it ends before it is acknowledged");
                return Err(ProtocolError::new(violation, METHOD).into());
            }
            Some(Ok(Inbound::Message(_) | Inbound::Missed)) => {}
            Some(Ok(other)) => {
                let error = |other| failure::instead_of_answer(other, METHOD, id, Era::Modern);
                return Err(Failed::of(other, error));
            }
            Some(Err(error)) => return Err(error.into()),
            None => return Err(ProtocolError::new(Violation::NoAnswer, METHOD).into()),
        }
    }
}

/// Reads an acknowledgement of this request: what it grants, where that can be read.
fn acknowledgement(notification: &Notification<'_>, id: &Id) -> Option<Option<SubscriptionFilter>> {
    if notification.method != ACKNOWLEDGED {
        return None;
    }
    let params = notification.params.as_deref();
    let named = params.and_then(meta::subscription_id);
    if named.is_some_and(|named| !named.matches(id)) {
        return None;
    }
    let read = params.map(AcknowledgedParams::read).and_then(Result::ok);
    Some(read.map(|params| params.notifications))
}

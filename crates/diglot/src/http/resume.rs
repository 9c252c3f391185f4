//! Taking the stream of a legacy request up again, where it ended before the answer came.
//!
//! The request was accepted, so that it is not sent a second time: a GET asks for what follows the last event that came
//! (`basic/transports` of revision 2025-11-25, "Resumability and Redelivery"). The modern era has no such thing.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::http::resume::{ResumeBounds, Resumption};
use diglot_proto::http::session::SessionLoss;
use tokio::time::sleep;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::Body;
use crate::http::drain::drain;
use crate::http::reply::Head;
use crate::http::request;
use crate::http::session::Standing;
use crate::http::stream::Events;
use crate::http::wire::Wire;
use crate::limits::Limits;
use crate::transport::{BoxFuture, Inbound};

/// The tries to take up the stream of one request.
pub(super) struct Resume {
    wire: Arc<Wire>,
    resumption: Resumption,
    last_event_id: Option<String>,
    retry_ms: Option<u64>,
}

/// What came of one try.
pub(super) enum Tried {
    /// The stream goes on, or the answer comes whole.
    Open(Box<Head>, Body),
    /// The server answers with something that the caller has to know, such as the loss of the session.
    Answered(Inbound),
    /// The stream cannot be taken up.
    Refused(TransportError),
    /// It may be taken up in a while.
    Failed(TransportError),
}

impl Resume {
    pub(super) fn new(wire: Arc<Wire>) -> Self {
        let resumption = Resumption::new(bounds(&wire.limits));
        Self { wire, resumption, last_event_id: None, retry_ms: None }
    }

    /// Notes that something came, which ends the row of vain tries.
    pub(super) fn progressed(&mut self) {
        self.resumption.progressed();
    }

    /// Prepares the next try after a stream that ended; nothing where it named no place to go on from, or never ends.
    pub(super) fn after(&mut self, events: &Events) -> Option<BoxFuture<'static, Tried>> {
        if let Some(id) = events.last_event_id().filter(|id| self.last_event_id.as_deref() != Some(*id)) {
            self.last_event_id = Some(id.to_owned());
            self.resumption.progressed();
        }
        self.retry_ms = events.retry_ms().or(self.retry_ms);
        self.again()
    }

    /// Prepares the next try after one that failed; nothing once there were too many in a row.
    pub(super) fn again(&mut self) -> Option<BoxFuture<'static, Tried>> {
        let id = self.last_event_id.clone()?;
        let wait = self.resumption.next_wait(self.retry_ms)?;
        tracing::debug!(?wait, "the stream of a request is taken up again");
        Some(Box::pin(take_up(self.wire.clone(), id, wait)))
    }
}

/// Returns the bounds on taking up streams, which are the client's to set.
pub(super) fn bounds(limits: &Limits) -> ResumeBounds {
    let mut bounds = ResumeBounds::default();
    bounds.tries = limits.resume_tries;
    bounds.first_wait = limits.resume_wait;
    bounds.shortest_wait = limits.resume_wait_least;
    bounds.longest_wait = limits.resume_wait_most;
    bounds
}

async fn take_up(wire: Arc<Wire>, last_event_id: String, wait: Duration) -> Tried {
    sleep(wait).await; // paused clock
    let (session, revision) = wire.session.at_hand();
    let standing = if session.is_some() { Standing::Within } else { Standing::Outside };
    let letter = request::stream(&wire.endpoint, session, revision, Some(&last_event_id));
    let (response, _) = match wire.endpoint.send(letter).await {
        Ok(answered) => answered,
        Err(error) => return Tried::Failed(error.after_sending()),
    };
    let (parts, body) = response.into_parts();
    let head = Head::new(parts, standing, wire.endpoint.has_credentials());
    let lost = |status| {
        TransportError::new(TransportFault::StreamLost, wire.endpoint.target())
            .status(status)
            .after_sending()
            .because(format!(
                "it could not be taken up again: the GET was answered with HTTP status {status}"
            ))
    };
    match head.status {
        // Some answer so to say that nothing follows.
        202 | 204 | 205 => {
            drain(body).await;
            Tried::Refused(lost(head.status))
        }
        _ if head.is_success() => Tried::Open(Box::new(head), body),
        status @ (408 | 425 | 429 | 500 | 502..=504) => {
            drain(body).await;
            Tried::Failed(lost(status))
        }
        status => {
            let limits = (wire.limits.message_bytes, wire.limits.excerpt_bytes);
            match head.error(body, wire.endpoint.secrets(), limits).await {
                Inbound::Http(mut reply) if reply.lost_session.is_some() || status == 401 => {
                    if reply.lost_session.is_some() {
                        reply.lost_session = Some(SessionLoss::Resuming);
                        wire.session.lose();
                    }
                    Tried::Answered(Inbound::Http(reply))
                }
                _ => Tried::Refused(lost(status)),
            }
        }
    }
}

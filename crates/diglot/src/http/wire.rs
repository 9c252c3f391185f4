//! What all exchanges of a Streamable HTTP connection share: where they go, the session, and the end of it all.

use tokio::sync::watch;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::Body;
use crate::http::cancel::Courier;
use crate::http::drain::drain;
use crate::http::endpoint::Endpoint;
use crate::http::reply::Head;
use crate::http::request;
use crate::http::session::Session;
use crate::limits::Limits;
use crate::transport::{BoxFuture, Outbound};

/// The inside of a connection.
pub(super) struct Wire {
    pub(super) endpoint: Endpoint,
    pub(super) limits: Limits,
    pub(super) session: Session,
    /// Whether the connection was closed.
    pub(super) closed: watch::Sender<bool>,
}

impl Wire {
    pub(super) fn new(endpoint: Endpoint, limits: Limits) -> Self {
        Self { endpoint, limits, session: Session::default(), closed: watch::Sender::new(false) }
    }

    /// Posts a message and waits for the head of the answer.
    pub(super) async fn post(&self, outbound: &Outbound) -> Result<(Head, Body), TransportError> {
        let (session, standing) = self.session.of(outbound);
        let address = self.endpoint.address().clone();
        let letter = request::post(&self.endpoint, address, outbound, session);
        let (response, _) = self.endpoint.send(letter).await?;
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            self.session.begin(outbound, &parts.headers);
        }
        Ok((Head::new(parts, standing, self.endpoint.has_credentials()), body))
    }

    /// Makes the error of what was under way when the connection was closed.
    pub(super) fn ended(&self) -> TransportError {
        TransportError::new(TransportFault::Ended, self.endpoint.target())
    }
}

impl Courier for Wire {
    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Ok((_, body)) = self.post(&outbound).await {
                drain(body).await;
            }
        })
    }
}

/// Waits until a connection is closed.
pub(super) async fn closing(closed: &mut watch::Receiver<bool>) {
    // The sender lives as long as every exchange, so there is no other end to this.
    drop(closed.wait_for(|closed| *closed).await);
}

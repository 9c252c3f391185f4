//! `server/discover` by itself: what a modern server says of itself, with no negotiation around it.

use diglot_proto::jsonrpc::Message;
use diglot_proto::types::{Discovery, DiscoveryFault};
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use crate::client::request::{Call, Options};
use crate::client::settings::Settings;
use crate::client::wire::Ids;
use crate::client::{Client, connect, failure, serve};
use crate::error::{Error, Incompatible, IncompatibleReason, Phase, ProtocolError, TimeoutError, Violation};
use crate::transport::{Connection, Inbound, Transport};

const METHOD: &str = "server/discover";

impl Client {
    /// Asks the server anew what it is: its versions, capabilities and instructions as they are now.
    ///
    /// # Errors
    ///
    /// A server that was met in the legacy era has no such method, so nothing is sent to it.
    pub async fn discover(&self) -> Result<Discovery, Error> {
        let live = self.inner.live();
        if live.agreement.era() == Era::Legacy {
            return Err(Error::Incompatible(Box::new(Incompatible {
                reason: IncompatibleReason::LegacyServer,
                offered: Vec::new(),
                server_offered: live.agreement.supported_versions.clone(),
                negotiation: live.negotiation.clone(),
            })));
        }
        let call = Call { method: METHOD.into(), params: None, is_safe: true, takes_input: false };
        read(&self.inner.request(&call, Options::default()).await?)
    }
}

/// Opens a connection, asks once, and closes it again.
pub(super) async fn discover_once(
    transport: &dyn Transport,
    settings: &Settings,
) -> Result<Discovery, Error> {
    let budget = settings.probe_timeout;
    let late = |stderr| TimeoutError { stderr, ..TimeoutError::new(Phase::Probe, METHOD, budget) };
    let opened = tokio::time::timeout(budget, transport.open(&settings.limits)).await;
    let connection = opened.map_err(|_| late(Vec::new()))??;
    let wire = serve::listen(connection.into(), settings);
    let revision = settings.pin.filter(|pin| pin.era() == Era::Modern).unwrap_or(Revision::LATEST);
    let asked = tokio::time::timeout(budget, ask(&*wire.connection, settings, revision)).await;
    let stderr = wire.connection.stderr_tail();
    wire.connection.close().await;
    asked.unwrap_or_else(|_| Err(late(stderr).into()))
}

async fn ask(
    connection: &dyn Connection,
    settings: &Settings,
    revision: Revision,
) -> Result<Discovery, Error> {
    let id = Ids::new().next();
    let mut exchange = connection.send(connect::probe(&id, revision, settings)).await?;
    loop {
        match exchange.next().await.transpose()? {
            None => return Err(ProtocolError::new(Violation::NoAnswer, METHOD).into()),
            Some(Inbound::Message(Message::Response(response))) => return read(&response.outcome?),
            Some(Inbound::Message(_) | Inbound::Missed) => {}
            Some(other) => return Err(failure::instead_of_answer(other, METHOD, &id, Era::Modern)),
        }
    }
}

fn read(result: &RawValue) -> Result<Discovery, Error> {
    Discovery::read(result).map_err(|fault| {
        let violation = match fault {
            DiscoveryFault::UnknownResultType(word) => Violation::UnknownResultType(word),
            DiscoveryFault::NoVersions => Violation::WrongShape("it lists no versions"),
            _ => Violation::WrongShape("it is not an object"),
        };
        ProtocolError::new(violation, METHOD).into()
    })
}

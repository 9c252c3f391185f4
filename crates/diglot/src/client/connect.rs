//! Drives the negotiator over a real wire: sends what it says, within the budgets, and reports what comes back.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::jsonrpc::Id;
use diglot_proto::lifecycle::{
    Agreement, Asked, Contradiction, Evidence, Failure, Mode, Negotiator, Opening, Remembered, Seen, Step,
    TrailStep,
};
use diglot_proto::meta::{self, Envelope};
use diglot_proto::types::Members;
use diglot_proto::version::{Era, Revision};
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use crate::client::ask::{self, Answer, Came, Question};
use crate::client::settings::Settings;
use crate::client::wire::{Ids, Live, Wire};
use crate::client::{failure, serve};
use crate::error::{Error, TransportError, TransportFault};
use crate::transport::{Exchange, Inbound, Outbound, Transport};

/// How long a legacy server's stream of its own may take to open before requests go on without it: some proxies hold its
/// head back until the first event.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// Negotiates with a server, by what is remembered of it where the settings have a store.
pub(super) async fn connect(
    transport: &Arc<dyn Transport>,
    settings: &Settings,
    ids: &Ids,
) -> Result<Live, Error> {
    let key = transport.key();
    let remembered = match (&settings.store, &key) {
        (Some(store), Some(key)) => store.recall(key).await,
        _ => None,
    };
    negotiate(transport, settings, ids, remembered).await
}

/// Negotiates with a server; `remembered` is what is known of it, if that can still be trusted.
pub(super) async fn negotiate(
    transport: &Arc<dyn Transport>,
    settings: &Settings,
    ids: &Ids,
    remembered: Option<Remembered>,
) -> Result<Live, Error> {
    let mut opening = opening(transport, settings);
    opening.remembered = remembered;
    opening.http_sse = transport.http_sse().is_some();
    run(opening, transport, settings, ids).await
}

/// Opens a connection anew that was agreed on already: in its era and over its transport, or not at all.
pub(super) async fn reopen(
    transport: &Arc<dyn Transport>,
    settings: &Settings,
    ids: &Ids,
    era: Era,
) -> Result<Live, Error> {
    let mut opening = opening(transport, settings);
    opening.mode = match era {
        Era::Legacy => Mode::Legacy,
        _ => Mode::Modern,
    };
    run(opening, transport, settings, ids).await
}

fn opening(transport: &Arc<dyn Transport>, settings: &Settings) -> Opening {
    let mut opening = Opening::new(transport.binding());
    opening.mode = settings.mode;
    opening.pin = settings.pin;
    opening.downgrade = settings.downgrade.clone();
    opening.legacy_transport = transport.is_legacy_only();
    opening.reopens = transport.reopens();
    opening
}

async fn run(
    opening: Opening,
    transport: &Arc<dyn Transport>,
    settings: &Settings,
    ids: &Ids,
) -> Result<Live, Error> {
    let negotiator = Negotiator::new(opening).map_err(|contradiction| refused(contradiction, settings))?;
    Driver::new(transport.clone(), settings, ids, negotiator).run().await
}

fn refused(contradiction: Contradiction, settings: &Settings) -> Error {
    failure::contradiction(contradiction, settings.mode, &settings.downgrade)
}

struct Driver<'a> {
    transport: Arc<dyn Transport>,
    settings: &'a Settings,
    ids: &'a Ids,
    negotiator: Negotiator,
    wire: Option<Wire>,
    /// The probe, where its time ran out on a pipe and its answer may still come.
    late_probe: Option<LateProbe>,
    came: Came,
}

struct LateProbe {
    exchange: Exchange,
    id: Id,
    since: Instant,
}

impl<'a> Driver<'a> {
    fn new(
        transport: Arc<dyn Transport>,
        settings: &'a Settings,
        ids: &'a Ids,
        negotiator: Negotiator,
    ) -> Self {
        Self { transport, settings, ids, negotiator, wire: None, late_probe: None, came: Came::Message }
    }

    async fn run(mut self) -> Result<Live, Error> {
        let mut step = self.negotiator.start();
        let mut told = 0;
        loop {
            told = self.tell(told);
            step = match step {
                Step::Probe { revision, fresh } => self.probe(revision, fresh).await,
                Step::Initialize { revision, fresh } => self.initialize(revision, fresh).await,
                Step::OpenHttpSse => self.turn_to_http_sse().await,
                Step::Agreed(agreement) => return self.agreed(*agreement).await,
                Step::Failed(failure) => return Err(self.failed(*failure).await),
                _ => unreachable!("every step of the negotiator is driven"),
            }
        }
    }

    /// Tells of the steps that nobody has heard of yet, and returns how many there are now.
    ///
    /// What the server said stays out of it, since it may hold what it was sent.
    fn tell(&self, told: usize) -> usize {
        let trail = &self.negotiator.negotiation().trail;
        for step in trail.iter().skip(told) {
            let TrailStep { sent, rule, verdict, elapsed_ms, .. } = step;
            tracing::debug!(sent, saw = step.saw.kind, verdict, rule, elapsed_ms, "{}", step.why);
        }
        trail.len()
    }

    async fn probe(&mut self, revision: Revision, fresh: bool) -> Step {
        if let Err(step) = self.open(fresh).await {
            return *step;
        }
        let id = self.ids.next();
        let outbound = probe(&id, revision, self.settings);
        let budget = self.settings.probe_timeout;
        let began = Instant::now();
        let answer = self.ask(outbound, &id, Asked::Discover, budget).await;
        self.late_probe = answer.unanswered.map(|exchange| LateProbe { exchange, id, since: began });
        self.came = answer.came;
        self.negotiator.observe(answer.evidence, answer.elapsed)
    }

    async fn initialize(&mut self, revision: Revision, fresh: bool) -> Step {
        if let Err(step) = self.open(fresh).await {
            return *step;
        }
        let id = self.ids.next();
        let params = initialize_params(revision, self.settings);
        let outbound = Outbound::request(id.clone(), "initialize", Some(&params)).opening();
        let budget = self.settings.initialize_timeout;
        let late = self.late_probe.take();
        let (answer, late) = self.ask_while_late(outbound, &id, budget, late).await;
        if let Some((evidence, elapsed)) = late {
            self.negotiator.observe_late(&evidence, elapsed);
        }
        self.came = answer.came;
        self.negotiator.observe(answer.evidence, answer.elapsed)
    }

    /// Asks `initialize` and hears, while it waits, a late answer to the probe.
    async fn ask_while_late(
        &self,
        outbound: Outbound,
        id: &Id,
        budget: Duration,
        mut late: Option<LateProbe>,
    ) -> (Answer, Option<(Evidence, Duration)>) {
        let mut asking = std::pin::pin!(self.ask(outbound, id, Asked::Initialize, budget));
        let mut found = None;
        loop {
            tokio::select! {
                // The late answer first: it came first where both are there.
                biased;
                answer = self.late_answer(late.as_mut()), if late.is_some() => {
                    late = None;
                    found = Some(answer);
                }
                answer = &mut asking => return (answer, found),
            }
        }
    }

    async fn late_answer(&self, late: Option<&mut LateProbe>) -> (Evidence, Duration) {
        let (Some(late), Some(wire)) = (late, &self.wire) else { return std::future::pending().await };
        let question = self.question(&late.id, Asked::Discover);
        let (evidence, _) = ask::listen(&mut late.exchange, wire, question).await;
        (evidence, late.since.elapsed())
    }

    async fn ask(&self, outbound: Outbound, id: &Id, asked: Asked, budget: Duration) -> Answer {
        let wire = self.wire.as_ref().expect("a step opens the wire before it asks");
        ask::ask(wire, outbound, self.question(id, asked), budget).await
    }

    fn question<'q>(&'q self, id: &'q Id, asked: Asked) -> Question<'q> {
        let excerpt_bytes = self.settings.limits.excerpt_bytes;
        Question {
            id,
            asked,
            binding: self.transport.binding(),
            excerpt_bytes,
            handlers: &self.settings.handlers,
            observers: &self.settings.observers,
        }
    }

    /// Opens the wire where there is none, or anew; a failure to is the negotiator's to judge.
    async fn open(&mut self, fresh: bool) -> Result<(), Box<Step>> {
        if fresh && let Some(wire) = self.wire.take() {
            wire.connection.close().await;
        }
        if self.wire.is_some() {
            return Ok(());
        }
        let began = Instant::now();
        // Connecting a byte stream or a process is quick; what takes time there is the first answer.
        let budget = self.settings.initialize_timeout;
        let opened = tokio::time::timeout(budget, self.transport.open(&self.settings.limits)).await;
        let (evidence, came) = match opened {
            Ok(Ok(connection)) => {
                self.wire = Some(serve::listen(connection.into(), self.settings));
                return Ok(());
            }
            Ok(Err(error)) => ask::lost(error, self.transport.binding()),
            Err(_) => (Evidence::new(self.transport.binding(), None, Seen::Silence), Came::Message),
        };
        self.came = came;
        let sent = if self.transport.name() == "http+sse" { "GET" } else { "connect" };
        Err(Box::new(self.negotiator.observe_unopened(sent, evidence, began.elapsed())))
    }

    /// Puts the deprecated transport in the place of this one, if the server has it (rule 6).
    async fn turn_to_http_sse(&mut self) -> Step {
        let began = Instant::now();
        let Some(transport) = self.transport.http_sse() else {
            let evidence = Evidence::http(405, Seen::NoAnswer);
            return self.negotiator.observe(evidence, Duration::ZERO);
        };
        // It is another question of what the server is, so it has the budget of the probe.
        let budget = self.settings.probe_timeout;
        let opened = tokio::time::timeout(budget, transport.open(&self.settings.limits)).await;
        let opened = opened.unwrap_or_else(|_| {
            let error = TransportError::new(TransportFault::NoEndpoint, transport.target());
            Err(error.because("none came in time"))
        });
        let (evidence, came) = match opened {
            Ok(connection) => {
                let wire = serve::listen(connection.into(), self.settings);
                if let Some(old) = self.wire.replace(wire) {
                    old.connection.close().await;
                }
                self.transport = transport.into();
                (Evidence::http(200, Seen::EndpointEvent), Came::Message)
            }
            Err(error) => {
                let (evidence, came) = ask::lost(error, transport.binding());
                // The refusal of the POST stays the error; only what GET itself settles takes its place.
                match &evidence.seen {
                    Seen::ForeignEndpoint(_) => (evidence, came),
                    // The page of a refusal says no more than its status.
                    Seen::WebPage(_) if evidence.is_success() => (evidence, came),
                    _ => (evidence, std::mem::take(&mut self.came)),
                }
            }
        };
        self.came = came;
        self.negotiator.observe(evidence, began.elapsed())
    }

    async fn agreed(mut self, agreement: Agreement) -> Result<Live, Error> {
        // A discovery that came late may have outlived the process that sent it.
        let is_gone = self.wire.as_ref().is_some_and(|wire| wire.connection.failure().is_some());
        if let Err(step) = self.open(is_gone && self.transport.reopens()).await {
            return match *step {
                Step::Failed(failure) => Err(self.failed(*failure).await),
                _ => Err(Error::Closed),
            };
        }
        if agreement.era() == Era::Legacy {
            self.tell_initialized(agreement.revision).await?;
            if let Some(wire) = self.wire.as_ref().filter(|_| self.settings.wants_unsolicited()) {
                // A server may put its questions about a request there, and lose them if it is not open yet.
                let attending = tokio::time::timeout(STREAM_WAIT, wire.connection.attend());
                if attending.await.is_err() {
                    tracing::debug!("the server's stream of its own is not open yet; going on");
                }
            }
        }
        self.update_memory(&agreement).await;
        let wire = self.wire.take().expect("the wire was opened above");
        Ok(Live {
            wire,
            binding: self.transport.binding(),
            transport_name: self.transport.name(),
            transport: self.transport,
            negotiation: self.negotiator.into_negotiation(),
            agreement,
        })
    }

    /// Sends `notifications/initialized`, which some servers answer with an error although they go on well.
    async fn tell_initialized(&mut self, revision: Revision) -> Result<(), Error> {
        let wire = self.wire.as_ref().expect("initialize was answered over it");
        let outbound = Outbound::notification("notifications/initialized", None).at(revision);
        let delivery = async { wire.connection.send(outbound).await?.next().await.transpose() };
        let delivered = tokio::time::timeout(self.settings.initialize_timeout, delivery).await;
        let error = match delivered {
            Ok(Ok(Some(Inbound::Http(reply)))) if !reply.is_success() => match reply.status {
                401 | 403 | 500.. => failure::reply(*reply, "notifications/initialized"),
                status => {
                    tracing::warn!(status, "the server refused notifications/initialized; going on");
                    return Ok(());
                }
            },
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.into(),
            Err(_) => failure::timeout("notifications/initialized", self.settings.initialize_timeout, wire),
        };
        Err(failure::with_negotiation(error, self.negotiator.negotiation().clone()))
    }

    async fn update_memory(&self, agreement: &Agreement) {
        let (Some(store), Some(key)) = (&self.settings.store, self.transport.key()) else { return };
        match agreement.memorable {
            true => store.remember(&key, agreement).await,
            false if self.negotiator.forgot() => store.forget(&key).await,
            false => {}
        }
    }

    async fn failed(mut self, failed: Failure) -> Error {
        if self.negotiator.forgot()
            && let (Some(store), Some(key)) = (&self.settings.store, self.transport.key())
        {
            store.forget(&key).await;
        }
        let came = std::mem::take(&mut self.came);
        let error = failure::negotiated(failed, came, self.settings, self.wire.as_ref()).await;
        if let Some(wire) = self.wire.take() {
            wire.connection.close().await;
        }
        failure::with_negotiation(error, self.negotiator.into_negotiation())
    }
}

/// Writes the probe.
pub(super) fn probe(id: &Id, revision: Revision, settings: &Settings) -> Outbound {
    let trace = settings.trace.entries(&Members::new());
    let entries: Vec<(&str, &RawValue)> = trace.iter().map(|(key, raw)| (*key, &**raw)).collect();
    let envelope = Envelope::new(revision.as_str(), &settings.capabilities)
        .client_info(Some(&settings.client))
        .entries(&entries);
    let params = envelope.apply(None).expect("no parameters leave room for an envelope");
    Outbound::request(id.clone(), "server/discover", Some(&params)).at(revision).opening()
}

fn initialize_params(revision: Revision, settings: &Settings) -> Box<RawValue> {
    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        protocol_version: &'a str,
        capabilities: &'a RawValue,
        client_info: &'a RawValue,
    }
    let params = Params {
        protocol_version: revision.as_str(),
        capabilities: &settings.capabilities,
        client_info: &settings.client,
    };
    let params = to_raw_value(&params).expect("raw JSON serialises");
    let trace = settings.trace.entries(&Members::new());
    let entries: Vec<(&str, &RawValue)> = trace.iter().map(|(key, raw)| (*key, &**raw)).collect();
    match entries.is_empty() {
        true => params,
        false => meta::with_meta(Some(&params), &entries).unwrap_or(params),
    }
}

//! The negotiator: a state machine that is told what came back and says what to do next.
//!
//! It does no I/O and reads no clock: the driver sends, waits within its budgets, and reports. Every report
//! becomes one step of the trail, so that the whole decision can be read afterwards.

use std::time::Duration;

use crate::lifecycle::row::Attempt;
use crate::lifecycle::words::{self, Complaint, Overlap};
use crate::lifecycle::{
    Agreement, Contradiction, Downgrade, Evidence, Failure, FailureKind, Negotiation, Opening, Remembered,
    Row, Ruling, Seen, Step, TrailStep, trail,
};
use crate::types::Initialization;
use crate::version::{Era, Revision, VersionWord};

/// Requests in one negotiation, over all retries: no rule leads further, and none may.
const MOST_STEPS: usize = 10;

/// Decides, step by step, which era and revision to speak with one server.
#[derive(Debug)]
pub struct Negotiator {
    opening: Opening,
    offers: Vec<Revision>,
    negotiation: Negotiation,
    state: State,
    /// The probe's answer that led to the fallback.
    probe: Option<(Row, Evidence)>,
    /// A usable discovery that came while `initialize` was open.
    late: Option<Box<Agreement>>,
    tries: Tries,
}

/// What is awaited.
#[derive(Clone, Debug)]
enum State {
    Start,
    Probing(Revision),
    Initializing { revision: Revision, fresh: bool, over_sse: bool },
    OpeningHttpSse { refusal: Box<(Evidence, &'static str)> },
    Ended,
}

/// Second chances that each exist once.
#[derive(Debug, Default)]
struct Tries {
    /// The probe was repeated at a version that the server listed.
    version: bool,
    /// The transport was opened anew.
    reopened: bool,
    /// The probe was repeated since `initialize` was answered with a modern version.
    after_initialize: bool,
    /// `initialize` was repeated at a revision that the server listed.
    revision: bool,
    /// The memory is still untested.
    memory: bool,
    /// The memory was wrong.
    forgotten: bool,
}

impl Negotiator {
    /// Begins a negotiation, unless its settings contradict each other.
    pub fn new(opening: Opening) -> Result<Self, Contradiction> {
        opening.check()?;
        Ok(Self {
            offers: opening.offers(),
            negotiation: Negotiation::new(opening.mode, &opening.downgrade),
            state: State::Start,
            probe: None,
            late: None,
            tries: Tries::default(),
            opening,
        })
    }

    /// Returns the first step.
    pub fn start(&mut self) -> Step {
        if self.opening.is_legacy_only() {
            return self.initialize(None, false);
        }
        match self.opening.remembered.take() {
            Some(Remembered::Modern { revision, discovery }) if self.offers.contains(&revision) => {
                self.state = State::Ended;
                let agreement = Agreement::modern(revision, &discovery);
                Step::Agreed(Box::new(Agreement { memorable: false, assumed: true, ..agreement }))
            }
            Some(Remembered::Legacy) if !self.opening.is_modern_only() => {
                self.tries.memory = true;
                self.initialize(None, false)
            }
            _ => self.probe(None, false),
        }
    }

    /// Takes what came back to the last step's request, and how long that took; returns the next step.
    pub fn observe(&mut self, evidence: Evidence, elapsed: Duration) -> Step {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Probing(revision) => self.probed(revision, evidence, elapsed),
            State::Initializing { revision, fresh, over_sse } => {
                self.initialized(revision, fresh, over_sse, evidence, elapsed)
            }
            State::OpeningHttpSse { refusal } => self.opened_http_sse(*refusal, evidence, elapsed),
            State::Start | State::Ended => self.fail(FailureKind::Protocol, "nothing", evidence, None),
        }
    }

    /// Takes an answer to the probe that came while `initialize` was open (rule 7).
    ///
    /// Only a usable discovery counts, and only if `initialize` then fails.
    pub fn observe_late(&mut self, evidence: &Evidence, elapsed: Duration) {
        let Seen::Discovery(discovery) = &evidence.seen else { return };
        let words = discovery.supported_versions.iter().map(String::as_str);
        let Overlap::Modern(revision) = Overlap::of(words, &self.offers) else { return };
        self.late = Some(Box::new(Agreement::modern(revision, discovery)));
        let step = TrailStep::new("server/discover", evidence, elapsed);
        self.record(
            step,
            "late-discovery",
            "noted",
            "the probe's answer came late; it counts if initialize fails",
        );
    }

    /// Takes the failure to open the transport at all, before anything could be sent over it.
    ///
    /// `sent` is what the transport tried: `GET` for the HTTP+SSE stream, `connect` elsewhere.
    pub fn observe_unopened(&mut self, sent: &'static str, evidence: Evidence, elapsed: Duration) -> Step {
        let step = TrailStep::new(sent, &evidence, elapsed);
        let kind = match &evidence.seen {
            Seen::ForeignEndpoint(_) => FailureKind::EndpointRefused,
            _ => refusal(&evidence, Revision::LATEST_LEGACY).0,
        };
        self.record(step, "not-opened", kind_word(kind), "the transport could not be opened");
        self.initialize_failed_at(sent, kind, evidence)
    }

    /// Tells whether what was remembered of the server proved wrong and is to be forgotten.
    pub fn forgot(&self) -> bool {
        self.tries.forgotten
    }

    /// Returns the record so far.
    pub fn negotiation(&self) -> &Negotiation {
        &self.negotiation
    }

    /// Ends the machine and returns its record.
    pub fn into_negotiation(self) -> Negotiation {
        self.negotiation
    }

    fn probe(&mut self, revision: Option<Revision>, fresh: bool) -> Step {
        let newest = self.offers.iter().copied().filter(|offer| offer.era() == Era::Modern).max();
        let revision = revision.or(newest).unwrap_or(Revision::LATEST);
        self.state = State::Probing(revision);
        Step::Probe { revision, fresh }
    }

    fn initialize(&mut self, revision: Option<Revision>, fresh: bool) -> Step {
        let newest = self.offers.iter().copied().filter(|offer| offer.era() == Era::Legacy).max();
        let revision = revision.or(newest).unwrap_or(Revision::LATEST_LEGACY);
        self.tries.reopened |= fresh;
        self.state = State::Initializing { revision, fresh, over_sse: false };
        Step::Initialize { revision, fresh }
    }

    fn probed(&mut self, revision: Revision, evidence: Evidence, elapsed: Duration) -> Step {
        let attempt =
            Attempt { revision, ours: &self.offers, any_id: self.opening.downgrade.accepts_any_id() };
        let row = match Row::read(&evidence, attempt) {
            row if self.tries.version && is_version_refusal(&evidence) => {
                debug_assert_ne!(row, Row::DiscoverModern);
                Row::VersionRefusedAgain
            }
            row => row,
        };
        let ruling = match self.opening.is_modern_only() {
            true => modern_only(row, &evidence),
            false => self.opening.downgrade.judge(&evidence, row),
        };
        let step = TrailStep {
            protocol_version: Some(revision.as_str()),
            ..TrailStep::new("server/discover", &evidence, elapsed)
        };
        let verdict = match self.opening.is_modern_only() && ruling == Ruling::FallBack {
            true => "legacy-server",
            false => ruling.as_str(),
        };
        self.record(step, row.rule(), verdict, row.why());
        self.rule(row, ruling, evidence)
    }

    fn rule(&mut self, row: Row, ruling: Ruling, evidence: Evidence) -> Step {
        let kind = match ruling {
            Ruling::Modern => return self.agree_modern(evidence),
            Ruling::ProbeAgain if self.has_steps_left() => {
                self.tries.version = true;
                let listed = trail::versions(&evidence);
                let mutual = match Overlap::of(listed.iter().map(String::as_str), &self.offers) {
                    Overlap::Modern(revision) => Some(revision),
                    _ => None,
                };
                return self.probe(mutual, false);
            }
            Ruling::FallBack if self.opening.is_modern_only() => FailureKind::LegacyServer,
            Ruling::FallBack if self.tries.after_initialize => FailureKind::NoMutualVersion,
            Ruling::FallBack if row == Row::Exited && !self.may_reopen() => FailureKind::Exited,
            Ruling::FallBack => return self.fall_back(row, evidence),
            Ruling::ProbeAgain | Ruling::NoMutualVersion => FailureKind::NoMutualVersion,
            Ruling::Refused => FailureKind::DowngradeRefused,
            Ruling::ProtocolError => FailureKind::Protocol,
            Ruling::HttpStatus => FailureKind::HttpStatus,
            Ruling::NotMcp => FailureKind::NotMcp,
            Ruling::Timeout => FailureKind::Timeout,
            Ruling::Exited => FailureKind::Exited,
            Ruling::Unauthorized => FailureKind::Unauthorized,
            Ruling::Forbidden => FailureKind::Forbidden,
            Ruling::Unreachable => FailureKind::Unreachable,
            Ruling::Redirected => FailureKind::RedirectRefused,
        };
        self.fail(kind, "server/discover", evidence, Some(row))
    }

    fn agree_modern(&mut self, evidence: Evidence) -> Step {
        let Seen::Discovery(discovery) = &evidence.seen else {
            return self.fail(FailureKind::Protocol, "server/discover", evidence, None);
        };
        let words = discovery.supported_versions.iter().map(String::as_str);
        match Overlap::of(words, &self.offers) {
            Overlap::Modern(revision) => Step::Agreed(Box::new(Agreement::modern(revision, discovery))),
            _ => self.fail(FailureKind::NoMutualVersion, "server/discover", evidence, None),
        }
    }

    fn fall_back(&mut self, row: Row, evidence: Evidence) -> Step {
        if row == Row::EndpointStream {
            return self.turn_to_http_sse("server/discover", evidence);
        }
        let revision = match &evidence.seen {
            Seen::Discovery(_) => self.mutual_legacy(&trail::versions(&evidence)),
            Seen::Error { error, .. } => {
                let named = Complaint::read(error, Revision::LATEST).map(|complaint| complaint.others);
                self.mutual_legacy(&words::listed(error)).or_else(|| self.mutual_legacy(&named?))
            }
            _ => None,
        };
        let gone = row == Row::Exited;
        self.probe = Some((row, evidence));
        self.initialize(revision, gone)
    }

    fn mutual_legacy(&self, words: &[String]) -> Option<Revision> {
        Overlap::of(words.iter().map(String::as_str), &self.offers).legacy()
    }

    fn initialized(
        &mut self,
        revision: Revision,
        fresh: bool,
        over_sse: bool,
        evidence: Evidence,
        elapsed: Duration,
    ) -> Step {
        let sent = TrailStep {
            protocol_version: Some(revision.as_str()),
            ..TrailStep::new("initialize", &evidence, elapsed)
        };
        if let Seen::Initialization(initialization) = &evidence.seen
            && evidence.is_success()
        {
            return match self.accepts(initialization) {
                Some(chosen) => {
                    self.record(
                        sent,
                        "initialize-accepted",
                        "legacy",
                        "the server chose a legacy revision that we speak",
                    );
                    Step::Agreed(Box::new(Agreement::legacy(chosen, initialization, self.is_memorable())))
                }
                None => {
                    self.record(
                        sent,
                        "initialize-foreign-version",
                        "no-mutual-version",
                        "the server chose a version that we did not offer and do not speak",
                    );
                    self.initialize_failed(FailureKind::NoMutualVersion, evidence)
                }
            };
        }
        if let Some(step) = self.second_chance(revision, fresh, over_sse, &evidence, &sent) {
            return step;
        }
        let (kind, rule, why) = refusal(&evidence, revision);
        self.record(sent, rule, kind_word(kind), why);
        self.initialize_failed(kind, evidence)
    }

    /// Finds the rule, if any, that keeps the negotiation going after `initialize` was refused.
    fn second_chance(
        &mut self,
        revision: Revision,
        fresh: bool,
        over_sse: bool,
        evidence: &Evidence,
        sent: &TrailStep,
    ) -> Option<Step> {
        if !self.has_steps_left() {
            return None;
        }
        let sent = sent.clone();
        if let Seen::Error { error, .. } = &evidence.seen {
            let listed = words::listed(error);
            let overlap = Overlap::of(listed.iter().map(String::as_str), Revision::ALL);
            if is_version_refusal(evidence)
                && matches!(overlap, Overlap::Modern(_))
                && self.may_probe_after_initialize()
            {
                self.tries.after_initialize = !self.tries.memory;
                self.forget();
                self.record(
                    sent,
                    "initialize-modern-server",
                    "probe-again",
                    "the server speaks the modern era and says so",
                );
                return Some(self.probe(None, false));
            }
            let named =
                Complaint::read(error, revision).map(|complaint| complaint.others).unwrap_or_default();
            let other = self
                .mutual_legacy(&listed)
                .or_else(|| self.mutual_legacy(&named))
                .filter(|other| *other != revision);
            if let Some(other) = other
                && !self.tries.revision
            {
                self.tries.revision = true;
                self.record(
                    sent,
                    "initialize-other-revision",
                    "initialize-again",
                    "the server lists another legacy revision that we speak",
                );
                return Some(self.initialize(Some(other), false));
            }
        }
        if self.tries.memory && !is_beyond_the_era(evidence) {
            self.forget();
            self.record(sent, "memory-wrong", "probe-again", "the server is not what was remembered of it");
            let gone = matches!(evidence.seen, Seen::Exited);
            return Some(self.probe(None, gone));
        }
        if matches!(evidence.seen, Seen::Exited) && !fresh && self.probe.is_some() && self.may_reopen() {
            self.record(
                sent,
                "exited-after-probe",
                "initialize-again",
                "the process that answered the probe is gone; a new one gets initialize",
            );
            return Some(self.initialize(Some(revision), true));
        }
        if !over_sse && self.may_try_http_sse(evidence) {
            self.record(
                sent,
                "initialize-not-here",
                "http+sse",
                "the endpoint takes no POST; it may be the HTTP+SSE transport",
            );
            return Some(self.turn_to_http_sse("initialize", evidence.clone()));
        }
        None
    }

    /// A legacy verdict is worth remembering if it was found out, and not by silence.
    fn is_memorable(&self) -> bool {
        let silent = matches!(self.probe, Some((Row::SilencePipe | Row::SilenceHttp, _)));
        !silent && !self.tries.memory && !self.opening.is_legacy_only()
    }

    fn may_probe_after_initialize(&self) -> bool {
        !self.opening.is_legacy_only() && !self.tries.after_initialize
    }

    fn may_reopen(&self) -> bool {
        self.opening.reopens && !self.tries.reopened
    }

    /// Rule 6: only a POST refused as "not here", without any JSON-RPC, points to the deprecated transport.
    fn may_try_http_sse(&self, evidence: &Evidence) -> bool {
        let by_post = self.probe.as_ref().is_some_and(|(row, _)| row.post_only());
        let not_here = matches!(evidence.status, Some(400 | 404 | 405)) && !evidence.is_json_rpc();
        self.opening.http_sse && !by_post && (not_here || matches!(evidence.seen, Seen::EndpointEvent))
    }

    fn turn_to_http_sse(&mut self, sent: &'static str, evidence: Evidence) -> Step {
        if !self.opening.http_sse {
            return self.fail(FailureKind::LegacyServer, sent, evidence, Some(Row::EndpointStream));
        }
        self.state = State::OpeningHttpSse { refusal: Box::new((evidence, sent)) };
        Step::OpenHttpSse
    }

    fn opened_http_sse(
        &mut self,
        refusal: (Evidence, &'static str),
        evidence: Evidence,
        elapsed: Duration,
    ) -> Step {
        let step = TrailStep::new("GET", &evidence, elapsed);
        let (kind, why) = match &evidence.seen {
            Seen::EndpointEvent => {
                self.record(
                    step,
                    "http-sse-opened",
                    "legacy",
                    "the stream opens with an endpoint event: the HTTP+SSE transport",
                );
                let initialize = self.initialize(None, false);
                if let State::Initializing { over_sse, .. } = &mut self.state {
                    *over_sse = true;
                }
                return initialize;
            }
            Seen::ForeignEndpoint(_) => {
                (FailureKind::EndpointRefused, "the endpoint event names another origin")
            }
            Seen::WebPage(_) => (FailureKind::NotMcp, "GET returns a web page"),
            _ => (status_kind(refusal.0.status), "there is no HTTP+SSE stream either"),
        };
        self.record(step, "http-sse-refused", kind_word(kind), why);
        match kind {
            FailureKind::EndpointRefused | FailureKind::NotMcp => {
                self.initialize_failed_at("GET", kind, evidence)
            }
            _ => self.initialize_failed_at(refusal.1, kind, refusal.0),
        }
    }

    fn accepts(&self, initialization: &Initialization) -> Option<Revision> {
        match VersionWord::read(&initialization.protocol_version) {
            VersionWord::Known(revision) if revision.era() == Era::Legacy => {
                self.offers.contains(&revision).then_some(revision)
            }
            _ => None,
        }
    }

    fn initialize_failed(&mut self, kind: FailureKind, evidence: Evidence) -> Step {
        self.initialize_failed_at("initialize", kind, evidence)
    }

    fn initialize_failed_at(&mut self, sent: &'static str, kind: FailureKind, evidence: Evidence) -> Step {
        self.state = State::Ended;
        if let Some(agreement) = self.late.take() {
            return Step::Agreed(agreement);
        }
        let before = self.probe.take().map(|(_, evidence)| Box::new(evidence));
        match self.fail(kind, sent, evidence, None) {
            Step::Failed(failure) => Step::Failed(Box::new(Failure { before, ..*failure })),
            step => step,
        }
    }

    fn fail(&mut self, kind: FailureKind, sent: &'static str, evidence: Evidence, row: Option<Row>) -> Step {
        self.state = State::Ended;
        let server_offered = trail::versions(&evidence);
        let offered = self.offers.clone();
        Step::Failed(Box::new(Failure { kind, sent, evidence, row, offered, server_offered, before: None }))
    }

    fn forget(&mut self) {
        self.tries.forgotten |= std::mem::take(&mut self.tries.memory);
    }

    fn has_steps_left(&self) -> bool {
        self.negotiation.trail.len() < MOST_STEPS
    }

    fn record(&mut self, step: TrailStep, rule: &'static str, verdict: &'static str, why: &str) {
        self.negotiation.record(TrailStep { rule, verdict, why: why.to_owned(), ..step });
    }
}

/// Tells whether an answer is a `-32022`.
fn is_version_refusal(evidence: &Evidence) -> bool {
    matches!(&evidence.seen, Seen::Error { error, .. } if error.code == crate::jsonrpc::codes::UNSUPPORTED_PROTOCOL_VERSION)
}

/// Judges a row for a client that may not fall back: what explicit evidence says, or nothing of the era.
fn modern_only(row: Row, evidence: &Evidence) -> Ruling {
    match Downgrade::Conservative.judge(evidence, row) {
        Ruling::Refused => Ruling::FallBack,
        ruling => ruling,
    }
}

/// Tells whether a failure says nothing about the era, so that a memory of it still stands.
fn is_beyond_the_era(evidence: &Evidence) -> bool {
    match evidence.seen {
        Seen::Unreachable | Seen::Redirect(_) => true,
        _ => {
            matches!(evidence.status, Some(401 | 403 | 402 | 407 | 408 | 421 | 423 | 425 | 429 | 451 | 500..))
        }
    }
}

/// Reads a refusal of `initialize`: its kind, the rule's name, and why.
fn refusal(evidence: &Evidence, offered: Revision) -> (FailureKind, &'static str, &'static str) {
    use FailureKind as Kind;
    match &evidence.seen {
        Seen::Unreachable => (Kind::Unreachable, "initialize-unreachable", "the network failed"),
        Seen::Redirect(_) => (Kind::RedirectRefused, "initialize-redirected", "the server points elsewhere"),
        Seen::Silence => {
            (Kind::Timeout, "initialize-silence", "no answer came within the budget of initialize")
        }
        Seen::Exited => (Kind::Exited, "initialize-exited", "the server closed without answering initialize"),
        Seen::Error { .. } if is_version_refusal(evidence) => (
            Kind::NoMutualVersion,
            "initialize-refused",
            "the server refuses every revision that we may offer",
        ),
        Seen::Error { error, .. } if Complaint::read(error, offered).is_some() => {
            (Kind::NoMutualVersion, "initialize-refused", "the server refuses the revision")
        }
        _ if !evidence.is_success() => {
            (status_kind(evidence.status), "initialize-refused", "the server refuses initialize")
        }
        Seen::Error { .. } => (Kind::Protocol, "initialize-refused", "the server refuses initialize"),
        Seen::WebPage(_) | Seen::Text => {
            (Kind::NotMcp, "initialize-not-mcp", "the endpoint answers with a page or text")
        }
        _ => (Kind::Protocol, "initialize-unusable", "the answer to initialize cannot be used"),
    }
}

fn status_kind(status: Option<u16>) -> FailureKind {
    match status {
        Some(401) => FailureKind::Unauthorized,
        Some(403) => FailureKind::Forbidden,
        Some(_) => FailureKind::HttpStatus,
        None => FailureKind::Protocol,
    }
}

/// Returns the word that trails show for a kind of failure.
fn kind_word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NoMutualVersion => "no-mutual-version",
        FailureKind::LegacyServer => "legacy-server",
        FailureKind::DowngradeRefused => "downgrade-refused",
        FailureKind::Protocol => "protocol-error",
        FailureKind::HttpStatus => "http-status",
        FailureKind::Unauthorized => "auth-required",
        FailureKind::Forbidden => "forbidden",
        FailureKind::NotMcp => "not-mcp",
        FailureKind::EndpointRefused => "endpoint-refused",
        FailureKind::RedirectRefused => "redirect-refused",
        FailureKind::Timeout => "timeout",
        FailureKind::Exited => "process-exited",
        FailureKind::Unreachable => "connection-failed",
    }
}

//! The negotiator: a state machine that is told what came back and says what to do next.
//!
//! It does no I/O and reads no clock: the driver sends, waits within its budgets, and reports. Every report
//! becomes one step of the trail, so that the whole decision can be read afterwards.

mod handshake;

use std::time::Duration;

use crate::lifecycle::row::Attempt;
use crate::lifecycle::words::{self, Complaint, Overlap};
use crate::lifecycle::{
    Agreement, Contradiction, Downgrade, Evidence, Failure, FailureKind, Negotiation, Opening, Remembered,
    Row, Ruling, Seen, Step, TrailStep, trail,
};
use crate::version::{Era, Revision};

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
                self.remember(
                    "remembered-modern",
                    "modern",
                    "the server was modern the last time; the first request is the test",
                );
                let agreement = Agreement::modern(revision, &discovery);
                Step::Agreed(Box::new(Agreement { memorable: false, assumed: true, ..agreement }))
            }
            Some(Remembered::Legacy) if !self.opening.is_modern_only() => {
                self.tries.memory = true;
                self.remember("remembered-legacy", "legacy", "the server was legacy a short time ago");
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

    fn fail(&mut self, kind: FailureKind, sent: &'static str, evidence: Evidence, row: Option<Row>) -> Step {
        self.state = State::Ended;
        let server_offered = trail::versions(&evidence);
        let offered = self.offers.clone();
        Step::Failed(Box::new(Failure { kind, sent, evidence, row, offered, server_offered, before: None }))
    }

    fn forget(&mut self) {
        self.tries.forgotten |= std::mem::take(&mut self.tries.memory);
    }

    /// Records that a memory took the place of a probe.
    fn remember(&mut self, rule: &'static str, verdict: &'static str, why: &str) {
        let step = TrailStep::of_memory();
        self.record(step, rule, verdict, why);
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

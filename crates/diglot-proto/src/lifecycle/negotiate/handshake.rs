//! The second half of a negotiation: `initialize`, its second chances, and the deprecated transport.

use std::time::Duration;

use super::{Negotiator, State, is_version_refusal};
use crate::lifecycle::words::{self, Complaint, Overlap};
use crate::lifecycle::{Agreement, Evidence, Failure, FailureKind, Row, Seen, Step, TrailStep};
use crate::types::Initialization;
use crate::version::{Era, Revision, VersionWord};

impl Negotiator {
    /// Takes the failure to open the transport at all, before anything could be sent over it.
    ///
    /// `sent` is what the transport tried: `GET` for the HTTP+SSE stream, `connect` elsewhere.
    pub fn observe_unopened(&mut self, sent: &'static str, evidence: Evidence, elapsed: Duration) -> Step {
        let step = TrailStep::new(sent, &evidence, elapsed);
        let kind = match &evidence.seen {
            Seen::ForeignEndpoint(_) => FailureKind::EndpointRefused,
            _ => refusal(&evidence, Revision::LATEST_LEGACY).0,
        };
        self.record(step, "not-opened", kind.as_str(), "the transport could not be opened");
        self.initialize_failed_at(sent, kind, evidence)
    }

    pub(super) fn initialized(
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
        self.record(sent, rule, kind.as_str(), why);
        self.initialize_failed(kind, evidence)
    }

    /// Finds the rule, if any, that keeps the negotiation going after `initialize` was refused.
    pub(super) fn second_chance(
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
                // A discovery that came late says it already; another probe could only lose it.
                && self.late.is_none()
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
    pub(super) fn is_memorable(&self) -> bool {
        let silent = matches!(self.probe, Some((Row::SilencePipe | Row::SilenceHttp, _)));
        !silent && !self.tries.memory && !self.opening.is_legacy_only()
    }

    pub(super) fn may_probe_after_initialize(&self) -> bool {
        !self.opening.is_legacy_only() && !self.tries.after_initialize
    }

    pub(super) fn may_reopen(&self) -> bool {
        self.opening.reopens && !self.tries.reopened
    }

    /// Rule 6: only a POST refused as "not here", without any JSON-RPC, points to the deprecated transport.
    pub(super) fn may_try_http_sse(&self, evidence: &Evidence) -> bool {
        let by_post = self.probe.as_ref().is_some_and(|(row, _)| row.post_only());
        let not_here = matches!(evidence.status, Some(400 | 404 | 405)) && !evidence.is_json_rpc();
        self.opening.http_sse && !by_post && (not_here || matches!(evidence.seen, Seen::EndpointEvent))
    }

    pub(super) fn turn_to_http_sse(&mut self, sent: &'static str, evidence: Evidence) -> Step {
        if !self.opening.http_sse {
            return self.fail(FailureKind::LegacyServer, sent, evidence, Some(Row::EndpointStream));
        }
        self.state = State::OpeningHttpSse { refusal: Box::new((evidence, sent)) };
        Step::OpenHttpSse
    }

    pub(super) fn opened_http_sse(
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
            Seen::WebPage(_) if evidence.is_success() => (FailureKind::NotMcp, "GET returns a web page"),
            _ => (status_kind(refusal.0.status), "there is no HTTP+SSE stream either"),
        };
        self.record(step, "http-sse-refused", kind.as_str(), why);
        match kind {
            FailureKind::EndpointRefused | FailureKind::NotMcp => {
                self.initialize_failed_at("GET", kind, evidence)
            }
            _ => self.initialize_failed_at(refusal.1, kind, refusal.0),
        }
    }

    pub(super) fn accepts(&self, initialization: &Initialization) -> Option<Revision> {
        match VersionWord::read(&initialization.protocol_version) {
            VersionWord::Known(revision) if revision.era() == Era::Legacy => {
                self.offers.contains(&revision).then_some(revision)
            }
            _ => None,
        }
    }

    pub(super) fn initialize_failed(&mut self, kind: FailureKind, evidence: Evidence) -> Step {
        self.initialize_failed_at("initialize", kind, evidence)
    }

    pub(super) fn initialize_failed_at(
        &mut self,
        sent: &'static str,
        kind: FailureKind,
        evidence: Evidence,
    ) -> Step {
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

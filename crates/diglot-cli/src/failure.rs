//! Why a command failed, in the words that scripts depend on, and the exit status that says so.

mod advice;
mod kind;

use std::error::Error as _;

use diglot::error::{IncompatibleReason, LossCause, Reopening, TransportError, TransportFault, Violation};
use diglot::lifecycle::TrailStep;
use diglot::{Error, Negotiation};
use serde::Serialize;

use crate::trace::Secrets;

pub(crate) use kind::Kind;

/// The exit status of a tool that reports an error.
pub(crate) const TOOL_FAILED: u8 = 5;

/// A failure as it is told to people and scripts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The negotiation that led here; reports show it beside the failure.
    #[serde(skip)]
    pub(crate) negotiation: Option<Box<Negotiation>>,
    /// The server, as far as it was known; reports show it beside the failure.
    #[serde(skip)]
    pub(crate) target: Option<String>,
}

impl Failure {
    /// States a failure in plain words.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), http_status: None, hint: None, negotiation: None, target: None }
    }

    /// States that the command line, or a file that it leans on, cannot be meant.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Adds what the user can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the server that was talked to.
    pub(crate) fn with(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Cuts out what is secret about the server, which may have sent it back.
    pub(crate) fn without(mut self, secrets: &Secrets) -> Self {
        self.message = secrets.cut(&self.message).into_owned();
        if let Some(negotiation) = &mut self.negotiation {
            clean(&mut negotiation.trail, secrets);
        }
        self
    }

    /// Returns the steps that led here.
    pub(crate) fn trail(&self) -> &[TrailStep] {
        self.negotiation.as_ref().map_or(&[], |negotiation| &negotiation.trail)
    }

    /// Tells a client's error; `is_child` says that the server is a child process.
    pub(crate) fn of(error: &Error, is_child: bool) -> Self {
        let kind = kind(error, is_child);
        let causes: Vec<String> = causes(error).collect();
        tracing::debug!(?causes, "{error}");
        Self {
            kind,
            message: message(error),
            http_status: error.http_status(),
            hint: advice::hint(error, kind),
            negotiation: error.negotiation().cloned().map(Box::new),
            target: None,
        }
    }
}

/// Cuts secrets out of what the steps of a negotiation quote.
pub(crate) fn clean(trail: &mut [TrailStep], secrets: &Secrets) {
    for step in trail {
        step.saw.excerpt = secrets.cut(&step.saw.excerpt).into_owned();
        step.saw.versions.iter_mut().for_each(|word| *word = secrets.cut(word).into_owned());
    }
}

fn kind(error: &Error, is_child: bool) -> Kind {
    match error {
        Error::Unauthorized(detail) => refused(detail.status),
        Error::Http(_) => Kind::HttpStatus,
        Error::Incompatible(detail) => match detail.reason {
            IncompatibleReason::LegacyServer => Kind::LegacyServer,
            IncompatibleReason::Contradiction(_) => Kind::Usage,
            _ => Kind::NoMutualVersion,
        },
        Error::DowngradeRefused(_) => Kind::DowngradeRefused,
        Error::Protocol(detail) => match &detail.violation {
            Violation::WebPage(_) | Violation::NotJsonRpc => Kind::NotMcp,
            Violation::ForeignEndpoint(_) => Kind::EndpointRefused,
            _ => Kind::ProtocolError,
        },
        Error::Timeout(_) => Kind::Timeout,
        Error::Transport(detail) => transport(detail, is_child),
        Error::Lost(detail) => match (&detail.reopening, &detail.cause) {
            (Reopening::Failed(error), _) => self::kind(error, is_child),
            (_, LossCause::Wire(error)) => transport(error, is_child),
            (_, LossCause::Session(_)) => Kind::HttpStatus,
            _ => Kind::ConnectionFailed,
        },
        Error::Arguments(_) => Kind::Usage,
        Error::Cancelled | Error::Closed => Kind::ConnectionFailed,
        _ => Kind::ProtocolError,
    }
}

fn refused(status: u16) -> Kind {
    match status {
        403 => Kind::Forbidden,
        _ => Kind::AuthRequired,
    }
}

fn transport(error: &TransportError, is_child: bool) -> Kind {
    match (&error.fault, error.status) {
        (TransportFault::BadAddress(_) | TransportFault::BadHeader(_), _) => Kind::Usage,
        (TransportFault::Redirect { .. }, _) => Kind::RedirectRefused,
        (TransportFault::ForeignEndpoint { .. }, _) => Kind::EndpointRefused,
        (TransportFault::Exited(_), _) => Kind::ProcessExited,
        (TransportFault::Ended | TransportFault::Broken, _) if is_child => Kind::ProcessExited,
        (TransportFault::NoEventStream { .. }, Some(status @ (401 | 403))) => refused(status),
        (TransportFault::NoEventStream { .. }, Some(200..=299)) => Kind::NotMcp,
        (TransportFault::NoEventStream { .. }, Some(_)) => Kind::HttpStatus,
        (TransportFault::NoEndpoint, _) => Kind::ProtocolError,
        _ => Kind::ConnectionFailed,
    }
}

/// Tells an error with the first cause of it; what lies between is the business of libraries.
fn message(error: &Error) -> String {
    let mut message = error.to_string();
    let Some(cause) = causes(error).last() else { return message };
    if !message.contains(&cause) {
        message.push_str(": caused by ");
        message.push_str(&cause);
    }
    message
}

/// Walks over what is behind an error, the first cause last.
fn causes(error: &Error) -> impl Iterator<Item = String> {
    let sources = std::iter::successors(error.source(), |cause| (*cause).source());
    sources.map(ToString::to_string).filter(|cause| !cause.is_empty())
}

#[cfg(test)]
mod tests {
    use diglot::error::{ExitReport, RedirectReason};

    use super::*;

    fn transport_kind(fault: TransportFault, status: Option<u16>, is_child: bool) -> Kind {
        let mut error = TransportError::new(fault, "x");
        error.status = status;
        kind(&error.into(), is_child)
    }

    #[test]
    #[rustfmt::skip]
    fn every_fault_of_a_wire_has_its_kind() {
        use TransportFault as Fault;
        let redirect = Fault::Redirect { location: "x".into(), reason: RedirectReason::OtherOrigin };
        let page = || Fault::NoEventStream { page_title: None };
        let table = [
            (Fault::CommandNotFound,                           None,      true,  Kind::ConnectionFailed),
            (Fault::NotStarted,                                None,      true,  Kind::ConnectionFailed),
            (Fault::Exited(ExitReport::default()),             None,      true,  Kind::ProcessExited),
            (Fault::Ended,                                     None,      true,  Kind::ProcessExited),
            (Fault::Broken,                                    None,      true,  Kind::ProcessExited),
            (Fault::Ended,                                     None,      false, Kind::ConnectionFailed),
            (Fault::Broken,                                    Some(200), false, Kind::ConnectionFailed),
            (Fault::Refused,                                   None,      false, Kind::ConnectionFailed),
            (Fault::UnknownHost,                               None,      false, Kind::ConnectionFailed),
            (Fault::Tls,                                       None,      false, Kind::ConnectionFailed),
            (Fault::StreamLost,                                None,      false, Kind::ConnectionFailed),
            (Fault::Client,                                    None,      false, Kind::ConnectionFailed),
            (Fault::ForeignEndpoint { endpoint: "x".into() },  None,      false, Kind::EndpointRefused),
            (Fault::NoEndpoint,                                Some(200), false, Kind::ProtocolError),
            (page(),                                           Some(401), false, Kind::AuthRequired),
            (page(),                                           Some(403), false, Kind::Forbidden),
            (page(),                                           Some(404), false, Kind::HttpStatus),
            (page(),                                           Some(200), false, Kind::NotMcp),
            (redirect,                                         Some(301), false, Kind::RedirectRefused),
        ];
        for (fault, status, is_child, expected) in table {
            assert_eq!(transport_kind(fault.clone(), status, is_child), expected, "{fault:?} {status:?} {is_child}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn every_kind_has_its_exit_status() {
        let table = [
            (Kind::Usage, 2), (Kind::Timeout, 3), (Kind::ConnectionFailed, 3), (Kind::AuthRequired, 4),
            (Kind::Forbidden, 4), (Kind::HttpStatus, 1), (Kind::ProcessExited, 1), (Kind::NotMcp, 1),
        ];
        for (kind, exit) in table {
            assert_eq!(kind.exit(), exit, "{}", kind.as_str());
        }
    }

    #[test]
    fn a_message_tells_the_first_cause_once() {
        let cause = std::io::Error::other("no route to host");
        let between = TransportError::new(TransportFault::Client, "the dialer").because(cause);
        let error = TransportError::new(TransportFault::Refused, "http://x/mcp").because(between);
        let told = message(&error.into());
        assert!(told.ends_with(": caused by no route to host"), "{told}");
        assert_eq!(told.matches("no route").count(), 1);
        assert!(!told.contains("dialer"), "{told}");
    }
}

//! Why a command failed, in the words that scripts depend on, and the exit status that says so.

use std::error::Error as _;

use diglot::error::{
    IncompatibleReason, LossCause, Phase, Reopening, TransportError, TransportFault, Violation,
};
use diglot::lifecycle::TrailStep;
use diglot::{Error, Negotiation};
use serde::Serialize;

use crate::trace::Secrets;

/// The exit status of a tool that reports an error.
pub(crate) const TOOL_FAILED: u8 = 5;

/// The kinds of failure: stable words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    AuthRequired,
    Forbidden,
    HttpStatus,
    NoMutualVersion,
    LegacyServer,
    DowngradeRefused,
    ProtocolError,
    NotMcp,
    EndpointRefused,
    RedirectRefused,
    Timeout,
    ConnectionFailed,
    ProcessExited,
    Usage,
}

impl Kind {
    /// Returns the word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::AuthRequired => "auth-required",
            Self::Forbidden => "forbidden",
            Self::HttpStatus => "http-status",
            Self::NoMutualVersion => "no-mutual-version",
            Self::LegacyServer => "legacy-server",
            Self::DowngradeRefused => "downgrade-refused",
            Self::ProtocolError => "protocol-error",
            Self::NotMcp => "not-mcp",
            Self::EndpointRefused => "endpoint-refused",
            Self::RedirectRefused => "redirect-refused",
            Self::Timeout => "timeout",
            Self::ConnectionFailed => "connection-failed",
            Self::ProcessExited => "process-exited",
            Self::Usage => "usage",
        }
    }

    /// Returns the exit status.
    pub(crate) const fn exit(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Timeout | Self::ConnectionFailed => 3,
            Self::AuthRequired | Self::Forbidden => 4,
            _ => 1,
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

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
        Self {
            kind,
            message: message(error),
            http_status: error.http_status(),
            hint: hint(error, kind),
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

/// Tells an error with all that is behind it.
fn message(error: &Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Some libraries repeat their source in their own text.
        if !message.contains(&text) {
            message.push_str(": caused by ");
            message.push_str(&text);
        }
        source = cause.source();
    }
    message
}

/// The hint where an address is likely not the one that was meant.
const ENDPOINTS: &str = "the path may be wrong: MCP endpoints are often at /mcp or /sse";

fn hint(error: &Error, kind: Kind) -> Option<String> {
    let had_credentials = matches!(error, Error::Unauthorized(detail) if detail.had_credentials);
    let mode = error.negotiation().map_or("", |negotiation| negotiation.mode);
    if let Error::Timeout(detail) = error {
        return patience(detail.phase, mode).map(str::to_owned);
    }
    let hint = match kind {
        Kind::AuthRequired if had_credentials => {
            "the token or key may have expired, or belong to another server"
        }
        Kind::AuthRequired => "give a token with --bearer-env VAR, or a key with --header 'Name: value'",
        Kind::Forbidden if !had_credentials => {
            "it may want credentials (--bearer-env VAR, --header 'Name: value'), or take requests for another host only"
        }
        Kind::Forbidden => "the credentials are known but may not do this; use others, or ask for the right",
        Kind::LegacyServer if mode == "auto" => "leave out --transport streamable-http",
        Kind::LegacyServer => "leave out --mode modern, or the modern --protocol-version",
        Kind::DowngradeRefused => match error.negotiation().map_or("", |negotiation| negotiation.policy) {
            "conservative" => "--downgrade standard or lenient may take it for a legacy server",
            _ => "--downgrade lenient takes it for a legacy server; --mode legacy does not even ask",
        },
        // After the agreement the address has proved right.
        Kind::HttpStatus if !mode.is_empty() && matches!(error.http_status(), Some(404 | 405)) => ENDPOINTS,
        Kind::NotMcp => ENDPOINTS,
        Kind::ProcessExited => "run the command by itself to see why it ends",
        Kind::NoMutualVersion => "--protocol-version picks the one revision to offer",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Says which option has a client wait longer, or wait no more.
fn patience(phase: Phase, mode: &str) -> Option<&'static str> {
    match phase {
        Phase::Probe if mode == "modern" => Some("--probe-timeout sets the wait"),
        Phase::Probe => {
            Some("--downgrade lenient takes silence for a legacy server; --probe-timeout sets the wait")
        }
        Phase::Initialize => Some("--initialize-timeout sets the wait"),
        Phase::Request => Some("--timeout sets the wait"),
        _ => None,
    }
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
    fn a_message_tells_the_whole_chain_once() {
        let cause = std::io::Error::other("no route to host");
        let error = TransportError::new(TransportFault::Refused, "http://x/mcp").because(cause);
        let told = message(&error.into());
        assert!(told.ends_with(": caused by no route to host"), "{told}");
        assert_eq!(told.matches("no route").count(), 1);
    }
}

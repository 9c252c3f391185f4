//! Failures of the wire: a process, a pipe, or the network.

use std::fmt;

use diglot_proto::http::headers::BadHeader;
use diglot_proto::lifecycle::Negotiation;

/// A failure of the wire, with what was being tried and what was behind it.
#[derive(Debug)]
#[non_exhaustive]
pub struct TransportError {
    /// What failed.
    pub fault: TransportFault,
    /// The server that was talked to: a URL without credentials, or a command line without its values.
    pub target: String,
    /// The HTTP status of the reply that broke off, where there was one.
    pub status: Option<u16>,
    /// Whether the request had left for the server when the wire failed, so that the server may have acted on it.
    pub sent: bool,
    /// The negotiation that the failure ended.
    pub negotiation: Option<Box<Negotiation>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The ways in which a wire fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportFault {
    /// The command does not exist, or is not on the path.
    CommandNotFound,
    /// The command could not be started.
    NotStarted,
    /// The process ended.
    Exited(ExitReport),
    /// Nobody listens at the address, or it cannot be reached.
    Refused,
    /// The host's name could not be resolved.
    UnknownHost,
    /// TLS failed: a plain port, a bad certificate, no common version.
    Tls,
    /// The connection broke off.
    Broken,
    /// The other end closed the stream.
    Ended,
    /// An event stream of the server broke off, and could not be opened or taken up again.
    StreamLost,
    /// The HTTP+SSE stream names an endpoint of another origin.
    ForeignEndpoint {
        /// The endpoint, without its query.
        endpoint: String,
    },
    /// The HTTP+SSE stream does not begin with an endpoint event in time.
    NoEndpoint,
    /// What should be an HTTP+SSE stream is none.
    NoEventStream {
        /// The title of the page that came instead, where one did.
        page_title: Option<String>,
    },
    /// The answer is compressed although the request asked for none, so that it cannot be read as it comes.
    Compressed {
        /// What `Content-Encoding` says.
        encoding: String,
    },
    /// A redirect that must not be followed leads to the given target.
    Redirect {
        /// Where the server points to, without its query.
        location: String,
        /// Why it is not followed.
        reason: RedirectReason,
    },
    /// The transport can be opened only once.
    OnlyOnce,
    /// The HTTP client failed in another way; see the source.
    Client,
    /// The address is none that a server can have; nothing was sent.
    BadAddress(BadAddress),
    /// A header that was asked for cannot be sent; nothing was.
    BadHeader(BadHeader),
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BadAddress {
    /// It does not begin with `http://` or `https://`.
    NotHttp,
    /// It names no host.
    NoHost,
    /// It carries a user name or a password.
    Credentials,
    /// It has a character that an address cannot have, or a port that is none.
    Unreadable,
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RedirectReason {
    /// It leads to another scheme, host or port, where the request's headers must not go.
    OtherOrigin,
    /// Its status turns a POST into a GET.
    LosesTheBody,
    /// It names no target that can be read.
    NoTarget,
    /// There were too many in a row.
    TooMany,
}

/// How a child process ended, and what it said last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExitReport {
    /// The exit code, unless a signal ended the process.
    pub code: Option<i32>,
    /// The signal that ended it, on Unix.
    pub signal: Option<i32>,
    /// The last lines of its stderr, oldest first.
    pub stderr: Vec<String>,
}

impl ExitReport {
    /// Reports an exit by its code or signal, with the last lines of stderr.
    pub fn new(code: Option<i32>, signal: Option<i32>, stderr: Vec<String>) -> Self {
        Self { code, signal, stderr }
    }
}

impl TransportError {
    /// States what failed and with which server.
    pub fn new(fault: TransportFault, target: impl Into<String>) -> Self {
        Self { fault, target: target.into(), status: None, sent: false, negotiation: None, source: None }
    }

    /// Adds the error behind this one.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds the status of the HTTP reply that broke off.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Marks that the request had left for the server.
    #[must_use]
    pub fn after_sending(mut self) -> Self {
        self.sent = true;
        self
    }

    /// Makes a copy for another request that the same failure ended; the source stays with the first one as text.
    pub fn again(&self) -> Self {
        let source = self.source.as_ref().map(|source| source.to_string().into());
        Self {
            fault: self.fault.clone(),
            target: self.target.clone(),
            status: self.status,
            sent: self.sent,
            negotiation: self.negotiation.clone(),
            source,
        }
    }

    /// Tells whether the server was never reached, so that the fault lies before it.
    pub fn is_unreached(&self) -> bool {
        use TransportFault as Fault;
        matches!(
            self.fault,
            Fault::Refused | Fault::UnknownHost | Fault::Tls | Fault::CommandNotFound | Fault::NotStarted
        )
    }
}

impl TransportError {
    /// Writes what failed and nothing else.
    pub(super) fn write_fault(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = &self.target;
        match &self.fault {
            TransportFault::CommandNotFound => {
                write!(f, "the command {target} was not found; check its spelling and the PATH")
            }
            TransportFault::NotStarted => write!(f, "the command {target} could not be started"),
            TransportFault::Exited(report) => write!(f, "the server process {target} {}", report.ending()),
            TransportFault::Refused => {
                write!(f, "cannot connect to {target}; is the server running, and is the address right?")
            }
            TransportFault::UnknownHost => {
                write!(f, "the host of {target} has no address; check its spelling")
            }
            TransportFault::Tls => {
                write!(f, "no TLS with {target}; is it an https address, and is its certificate valid?")
            }
            TransportFault::Broken => write!(f, "the connection to {target} broke off"),
            TransportFault::Ended => write!(f, "{target} closed the stream"),
            TransportFault::StreamLost => write!(f, "the event stream of {target} was lost"),
            TransportFault::ForeignEndpoint { endpoint } => {
                write!(
                    f,
                    "the event stream of {target} names the endpoint {endpoint} of another origin, which must not see this client's headers"
                )
            }
            TransportFault::NoEndpoint => {
                write!(f, "the event stream of {target} does not begin with an endpoint event")
            }
            TransportFault::NoEventStream { page_title } => {
                write!(f, "{target} offers no event stream")?;
                match (self.status, page_title) {
                    (_, Some(title)) => write!(f, ": it answers with a page titled {title:?}"),
                    (Some(status), None) => write!(f, ": it answers with HTTP status {status}"),
                    (None, None) => Ok(()),
                }
            }
            TransportFault::Compressed { encoding } => {
                write!(
                    f,
                    "{target} answers in {encoding}, although the request asked for no compression; turn it off for this endpoint"
                )
            }
            TransportFault::Redirect { location, .. } if location.is_empty() => {
                write!(f, "{target} redirects without saying where to")
            }
            TransportFault::Redirect { location, reason } => {
                write!(f, "{target} redirects to {location}, {reason}")
            }
            TransportFault::OnlyOnce => write!(f, "{target} cannot be opened a second time"),
            TransportFault::Client => write!(f, "the HTTP client failed to talk to {target}"),
            TransportFault::BadAddress(reason) => write!(f, "{target} is no address of a server: {reason}"),
            TransportFault::BadHeader(header) => fmt::Display::fmt(header, f),
        }
    }

    /// Writes what a process said last, where it was one.
    pub(super) fn write_last_words(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            TransportFault::Exited(report) => write_stderr(f, &report.stderr),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_fault(f)?;
        if self.sent && !self.is_unreached() {
            f.write_str("; the request had been sent, so the server may have acted on it")?;
        }
        self.write_last_words(f)
    }
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttp => "it must begin with http:// or https://",
            Self::NoHost => "it names no host",
            Self::Credentials => "it carries a user name or a password; send them in an Authorization header",
            Self::Unreadable => "it has a character or a port that an address cannot have",
        })
    }
}

impl fmt::Display for RedirectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherOrigin => {
                "another origin, which must not see this request's headers; if it is right, use that address"
            }
            Self::LosesTheBody => "with a status that drops the request's body; use that address instead",
            Self::NoTarget => "which is no address",
            Self::TooMany => "after too many redirects",
        })
    }
}

impl ExitReport {
    /// Says how it ended, without its last words.
    fn ending(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exited with status {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "closed its output".to_owned(),
        }
    }
}

impl fmt::Display for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ending())?;
        write_stderr(f, &self.stderr)
    }
}

/// Writes the tail of a stderr as indented lines.
pub(super) fn write_stderr(f: &mut fmt::Formatter<'_>, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    f.write_str("; its last words on stderr:")?;
    lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

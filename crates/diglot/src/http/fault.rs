//! Which fault of the wire lies behind an HTTP client's error, whichever client it is.
//!
//! Clients share no error type, so the chain of causes is walked for the few types that all of them are built on.

use std::error::Error;
use std::fmt;
use std::io;

use crate::error::{TransportError, TransportFault};
use crate::http::adapter::{BoxError, Unsent};

/// How deep a chain of causes is followed.
const DEEPEST: usize = 32;

/// Makes the error of a request that got no response.
pub(super) fn of_request(error: BoxError, target: &str) -> TransportError {
    let (fault, sent) = read(error.as_ref()).unwrap_or((TransportFault::Client, true));
    let sent = sent && !causes(error.as_ref()).any(|cause| cause.is::<Unsent>());
    let lost = TransportError::new(fault, target).because(error);
    if sent && !lost.is_unreached() { lost.after_sending() } else { lost }
}

/// Makes the error of a body that broke off.
pub(super) fn of_body(error: BoxError, status: u16, target: &str) -> TransportError {
    TransportError::new(TransportFault::Broken, target).status(status).after_sending().because(error)
}

/// An error whose fault its client knows better than its causes tell.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) fault: TransportFault,
    /// Whether any of the request may have reached the server.
    pub(super) sent: bool,
    pub(super) error: BoxError,
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Known {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// Reads the fault, and whether the request may have been sent, from the first cause that tells.
fn read(error: &(dyn Error + 'static)) -> Option<(TransportFault, bool)> {
    let mut established = false;
    causes(error).find_map(|cause| {
        if let Some(known) = cause.downcast_ref::<Known>() {
            return Some((known.fault.clone(), known.sent));
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            // hyper is handed connections that are established, so what failed below it broke off.
            established = true;
            return of_hyper(error);
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return if established { Some((TransportFault::Broken, true)) } else { of_io(error) };
        }
        // The resolvers of hyper and of the standard library have no type for it.
        let text = cause.to_string();
        let is_lookup = text == "dns error" || text.starts_with("failed to lookup address information");
        is_lookup.then_some((TransportFault::UnknownHost, false))
    })
}

fn of_io(error: &io::Error) -> Option<(TransportFault, bool)> {
    use io::ErrorKind as Kind;
    const NO_SUCH_HOST_ON_WINDOWS: i32 = 11001;
    if error.raw_os_error() == Some(NO_SUCH_HOST_ON_WINDOWS)
        || error.to_string().starts_with("failed to lookup address information")
    {
        return Some((TransportFault::UnknownHost, false));
    }
    match error.kind() {
        Kind::ConnectionRefused
        | Kind::HostUnreachable
        | Kind::NetworkUnreachable
        | Kind::NetworkDown
        | Kind::AddrNotAvailable
        | Kind::TimedOut
        | Kind::NotFound
        | Kind::PermissionDenied => Some((TransportFault::Refused, false)),
        Kind::ConnectionReset
        | Kind::ConnectionAborted
        | Kind::BrokenPipe
        | Kind::NotConnected
        | Kind::UnexpectedEof => Some((TransportFault::Broken, true)),
        // TLS libraries report a bad certificate or a plain port so; nothing else below HTTP does.
        Kind::InvalidData if error.get_ref().is_some() => Some((TransportFault::Tls, false)),
        _ => None,
    }
}

fn of_hyper(error: &hyper::Error) -> Option<(TransportFault, bool)> {
    // A request that was cancelled inside of hyper has not left it.
    if error.is_canceled() {
        return Some((TransportFault::Broken, false));
    }
    (error.is_incomplete_message() || error.is_closed() || error.is_body_write_aborted())
        .then_some((TransportFault::Broken, true))
}

/// Walks an error and its causes; an [`io::Error`] hides the error that it was made of from the usual walk.
pub(super) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn Error + 'static)| {
        let cause = *cause;
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| cause.source())
    })
    .take(DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(error: impl Into<BoxError>) -> (TransportFault, bool) {
        let error = of_request(error.into(), "a server");
        (error.fault, error.sent)
    }

    #[derive(Debug)]
    struct Outer(BoxError);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a custom client failed")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(self.0.as_ref())
        }
    }

    #[test]
    fn the_cause_is_found_below_any_error() {
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(fault(refused()), (TransportFault::Refused, false));
        assert_eq!(fault(Outer(refused().into())), (TransportFault::Refused, false));
        assert_eq!(fault(io::Error::other(refused())), (TransportFault::Refused, false));
        assert_eq!(fault(Outer(io::Error::other(refused()).into())), (TransportFault::Refused, false));
    }

    #[test]
    fn a_reset_leaves_open_whether_the_server_acted() {
        assert_eq!(fault(io::Error::from(io::ErrorKind::ConnectionReset)), (TransportFault::Broken, true));
    }

    #[test]
    fn a_client_that_sent_nothing_can_say_so() {
        let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(fault(Unsent::new(reset())), (TransportFault::Broken, false));
        assert_eq!(fault(Outer(Unsent::new("pool closed").into())), (TransportFault::Client, false));
        assert_eq!(fault(io::Error::other(Unsent::new(reset()))), (TransportFault::Broken, false));
    }

    #[test]
    fn bad_data_below_http_is_tls() {
        let corrupt = io::Error::new(io::ErrorKind::InvalidData, "received corrupt message");
        assert_eq!(fault(io::Error::other(corrupt)), (TransportFault::Tls, false));
    }

    #[test]
    fn an_unknown_host_is_told_by_the_words_of_its_resolver() {
        let lookup = "failed to lookup address information: Name or service not known";
        assert_eq!(fault(io::Error::other(lookup)), (TransportFault::UnknownHost, false));
        assert_eq!(fault(Outer("dns error".into())), (TransportFault::UnknownHost, false));
    }

    #[test]
    fn an_error_that_says_nothing_is_the_clients() {
        assert_eq!(fault("no idea"), (TransportFault::Client, true));
    }
}

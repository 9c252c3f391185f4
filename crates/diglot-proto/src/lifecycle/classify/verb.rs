//! What the method of an HTTP request asks of the MCP endpoint.

/// Says what an HTTP request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// `POST`: it brings a message.
    Message,
    /// `GET`: it asks for the stream of a legacy session.
    Stream,
    /// `DELETE`: it ends a legacy session.
    EndSession,
    /// Anything else: 405, with these methods in `Allow`.
    NotAllowed {
        /// The value of the `Allow` header.
        allow: &'static str,
    },
}

/// Says what an HTTP request is for by its method, which is compared with regard to case.
///
/// The modern era has only `POST`.
pub fn verb(verb: &str, offers_legacy: bool) -> Verb {
    match (verb, offers_legacy) {
        ("POST", _) => Verb::Message,
        ("GET", true) => Verb::Stream,
        ("DELETE", true) => Verb::EndSession,
        (_, true) => Verb::NotAllowed { allow: "POST, GET, DELETE" },
        (_, false) => Verb::NotAllowed { allow: "POST" },
    }
}

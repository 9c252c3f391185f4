//! What an answer under way needs to know of the stream that may carry it.

use std::task::{Context, Poll};

use diglot_proto::jsonrpc::Id;

/// The stream of a request, or of a client that listens.
pub(super) trait Wire: Send + Sync {
    /// Tells whether the request was withdrawn, and asks to be woken when it is.
    fn is_cut(&self, context: &Context<'_>) -> bool;

    /// Tells whether the answer to one of the requests is still wanted.
    fn wants(&self, id: &Id) -> bool;

    /// Tells whether something waits that only a stream can carry, and asks to be woken when it does.
    fn has_mail(&self, context: &Context<'_>) -> bool;

    /// Begins the stream; what comes before its first message is written to `out`.
    fn begin(&self, out: &mut Vec<u8>);

    /// Writes what waits as events; ready at the end of the stream. Otherwise it asks to be woken.
    fn read(&self, context: &Context<'_>, out: &mut Vec<u8>) -> Poll<()>;

    /// Ends the stream, with its last message where there is one.
    fn close(&self, last: Option<Vec<u8>>);

    /// Says that the answer went another way and no stream is needed.
    fn answered(&self);

    /// Says that the client left; tells whether the request is to go on.
    fn left(&self) -> bool;
}

//! The way out for what a handler emits before its answer: each binding has its own.

use diglot_proto::jsonrpc::RpcError;
use serde_json::value::RawValue;

use crate::future::BoxFuture;

/// Takes what a request emits on its way.
pub(crate) trait Outlet: Send + Sync {
    /// Sends a notification about the request, as a whole message.
    fn notify(&self, message: Vec<u8>);

    /// Ends the stream that the request is read by, where the client can come back for the rest.
    fn hang_up(&self) {}

    /// Sends a request to a legacy client and waits for its result.
    ///
    /// The modern era has no such requests, so this is never called for it.
    fn ask(
        &self,
        method: &'static str,
        params: Option<Box<RawValue>>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>>;
}

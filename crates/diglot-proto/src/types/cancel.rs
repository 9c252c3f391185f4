//! The withdrawal of a request.

use crate::jsonrpc::Id;

record! {
    /// The parameters of `notifications/cancelled` (`basic/patterns/cancellation`).
    ///
    /// Revision 2025-11-25 lets the id out, since tasks are cancelled by a method of their own.
    CancelledParams {
        /// The id of the request.
        optional request_id: Id = "requestId";
        /// Why it is no longer wanted, for logs and people.
        optional reason: String = "reason";
    } with meta
}

impl CancelledParams {
    /// Makes the parameters that withdraw this request.
    pub fn of_request(id: impl Into<Id>) -> Self {
        Self::new().request_id(id)
    }
}

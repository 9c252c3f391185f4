//! The way out of one request over a pipe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diglot_proto::jsonrpc::{self, Id, RpcError, codes};
use serde_json::value::{RawValue, to_raw_value};

use super::channel::Channel;
use crate::future::BoxFuture;
use crate::server::outlet::Outlet;
use crate::server::session::Session;

/// Adds what a request emits to the pipe's unsent bytes, until the request is answered or withdrawn.
pub(super) struct PipeOutlet {
    channel: Arc<Channel>,
    session: Option<Arc<Session>>,
    is_closed: AtomicBool,
}

impl PipeOutlet {
    pub(super) fn new(channel: Arc<Channel>, session: Option<Arc<Session>>) -> Self {
        Self { channel, session, is_closed: AtomicBool::new(false) }
    }

    /// Says that nothing more may be sent about the request.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}

impl Outlet for PipeOutlet {
    fn notify(&self, message: Vec<u8>) {
        if !self.is_closed() {
            self.channel.notify(&message);
        }
    }

    fn ask(
        &self,
        method: &'static str,
        params: Option<Box<RawValue>>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        let session = self.session.clone().filter(|_| !self.is_closed() && self.channel.hears());
        let Some(session) = session else { return Box::pin(std::future::ready(Err(gone()))) };
        let (id, answer) = session.ask();
        self.channel.push(&jsonrpc::write_request(&id, method, params.as_deref()));
        let question = Question { id, session, channel: self.channel.clone() };
        Box::pin(async move {
            let _withdrawn_on_drop = question;
            answer.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}

fn gone() -> RpcError {
    RpcError::new(codes::INTERNAL_ERROR, "the client is gone")
}

/// A request to the client; dropping it withdraws it unless it is answered.
struct Question {
    id: Id,
    session: Arc<Session>,
    channel: Arc<Channel>,
}

impl Drop for Question {
    fn drop(&mut self) {
        if self.session.forget(&self.id) {
            self.channel.notify(&cancelled(&self.id));
        }
    }
}

/// Writes the notification that withdraws a request.
pub(super) fn cancelled(id: &Id) -> Vec<u8> {
    let params = to_raw_value(&serde_json::json!({ "requestId": id })).expect("an id serialises");
    jsonrpc::write_notification("notifications/cancelled", Some(&params))
}

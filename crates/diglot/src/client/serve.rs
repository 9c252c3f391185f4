//! What a legacy server asks of the client on its own account.

use std::sync::Arc;

use diglot_proto::jsonrpc::{self, Message, Request, RpcError, codes};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

use crate::client::live::Wire;
use crate::transport::{Connection, Inbound, Outbound};

/// Starts the task that answers a server's own requests for as long as the wire is open.
pub(super) fn listen(connection: Arc<dyn Connection>) -> Wire {
    let listener = tokio::spawn({
        let connection = connection.clone();
        async move {
            while let Some(inbound) = connection.unsolicited().await {
                match inbound {
                    Inbound::Message(Message::Request(request)) => answer(&connection, &request, None).await,
                    Inbound::Message(Message::Notification(notification)) => {
                        tracing::debug!(method = %notification.method, "notification");
                    }
                    _ => {}
                }
            }
        }
    });
    Wire { connection, listener }
}

/// Answers a request of the server: `ping` with an empty result, all else as unknown, since nothing is declared.
pub(super) async fn answer(
    connection: &Arc<dyn Connection>,
    request: &Request<'_>,
    revision: Option<Revision>,
) {
    let bytes = match &*request.method {
        "ping" => jsonrpc::write_result(&request.id, empty()),
        method => {
            let error =
                RpcError::new(codes::METHOD_NOT_FOUND, format!("this client does not offer {method}"));
            jsonrpc::write_error(Some(&request.id), &error)
        }
    };
    let outbound = Outbound { revision, ..Outbound::response(bytes) };
    if let Err(error) = connection.send(outbound).await {
        tracing::debug!(%error, "the answer to the server's request was not delivered");
    }
}

fn empty() -> &'static RawValue {
    serde_json::from_str("{}").expect("an empty object is JSON")
}

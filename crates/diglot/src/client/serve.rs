//! What a legacy server asks of the client on its own account.

use std::sync::Arc;

use diglot_proto::jsonrpc::{self, Message, Request, RpcError, codes};
use diglot_proto::types::{CreateMessageParams, ElicitParams, InputRequest};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::client::input::{Handlers, Place};
use crate::client::settings::Settings;
use crate::client::wire::Wire;
use crate::transport::{Connection, Inbound, Outbound};

/// Starts the task that answers a server's own requests for as long as the wire is open.
pub(super) fn listen(connection: Arc<dyn Connection>, settings: &Settings) -> Wire {
    let (speaking, over) = watch::channel(());
    let listener = tokio::spawn({
        let (connection, handlers) = (connection.clone(), settings.handlers.clone());
        let (observers, listens) = (settings.observers.clone(), settings.listens.clone());
        async move {
            let _speaking = speaking;
            while let Some(inbound) = connection.unsolicited().await {
                match inbound {
                    Inbound::Message(Message::Request(request)) => {
                        answer(&connection, &handlers, request, None);
                    }
                    Inbound::Message(Message::Notification(notification)) => {
                        observers.tell(&notification);
                    }
                    Inbound::Missed => listens.miss(),
                    _ => {}
                }
            }
        }
    });
    Wire { connection, listener, over }
}

/// Answers a request of the server without waiting: a user may take long, and other messages go on meanwhile.
pub(super) fn answer(
    connection: &Arc<dyn Connection>,
    handlers: &Handlers,
    request: Request<'static>,
    revision: Option<Revision>,
) {
    let place = handlers.places.take();
    if matches!(place, Place::Dropped) {
        tracing::warn!(method = %request.method, "a request of the server is dropped; it has too many open");
        return;
    }
    let (connection, handlers) = (connection.clone(), handlers.clone());
    tokio::spawn(async move {
        let answer = match &place {
            Place::Refused(_, most) => {
                let message =
                    format!("this client answers no more than {most} requests at once (input_requests)");
                Err(RpcError::new(codes::INTERNAL_ERROR, message))
            }
            _ => result(&handlers, &request).await,
        };
        let bytes = match answer {
            Ok(result) => jsonrpc::write_result(&request.id, &result),
            Err(error) => jsonrpc::write_error(Some(&request.id), &error),
        };
        let mut outbound = Outbound::response(bytes);
        outbound.revision = revision;
        if let Err(error) = connection.send(outbound).await {
            tracing::debug!(%error, "the answer to the server's request was not delivered");
        }
    });
}

async fn result(handlers: &Handlers, request: &Request<'_>) -> Result<Box<RawValue>, RpcError> {
    let invalid = |fault: diglot_proto::types::Fault| RpcError::new(codes::INVALID_PARAMS, fault.to_string());
    let params = || {
        request.params.as_deref().ok_or_else(|| RpcError::new(codes::INVALID_PARAMS, "parameters are needed"))
    };
    let asked = match &*request.method {
        "ping" => return Ok(RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")),
        "elicitation/create" => ElicitParams::read(params()?).map_err(invalid)?.into(),
        "sampling/createMessage" => CreateMessageParams::read(params()?).map_err(invalid)?.into(),
        "roots/list" => InputRequest::ListRoots,
        method => {
            let message = format!("this client does not offer {method}");
            return Err(RpcError::new(codes::METHOD_NOT_FOUND, message));
        }
    };
    handlers.answer(asked).await
}

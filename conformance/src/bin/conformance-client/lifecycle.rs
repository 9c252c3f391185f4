//! Scenarios about the opening of a connection.

use diglot::Era;
use diglot::jsonrpc::{RpcError, codes};
use diglot::types::{CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, Root};

use crate::case::{Case, Failure, equal};

/// Opens a legacy session, lists, and closes.
pub(crate) async fn initialize(case: Case) -> Result<(), Failure> {
    let client = case.connect(case.client()).await?;
    equal("the era", &client.era(), &Era::Legacy)?;
    client.server().ok_or("the server does not identify itself")?;
    client.list_tools().await?;
    client.close().await;
    Ok(())
}

/// Declares every capability, and lives through the refusal of the first request.
pub(crate) async fn request_metadata(case: Case) -> Result<(), Failure> {
    let client = case
        .client()
        .on_elicitation(|_: ElicitParams| async { ElicitResult::decline() })
        .on_sampling(|_: CreateMessageParams| async { Err::<CreateMessageResult, _>(no_model()) })
        .on_roots(|| async { Vec::<Root>::new() });
    let client = case.connect(client).await?;
    let steps = client.negotiation().trail.len();
    if steps < 2 {
        return Err(format!("the first request is refused, and yet {steps} sufficed").into());
    }
    client.list_tools().await?;
    client.close().await;
    Ok(())
}

fn no_model() -> RpcError {
    RpcError::new(codes::INTERNAL_ERROR, "this client has no model")
}

//! The crate's own client, of each era, against its own server.

use diglot::{Client, Mode, Revision};
use serde_json::json;

use super::stage::{calculator, in_memory};

#[tokio::test]
async fn an_automatic_client_stays_modern() {
    let client = Client::builder("t", "0").connect(in_memory(calculator())).await.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    assert_eq!(client.list_tools().await.unwrap().len(), 3);
    let quotient: i64 =
        client.call_tool("divide", json!({ "a": 12, "b": 4 })).await.unwrap().parse().unwrap();
    assert_eq!(quotient, 3);
}

#[tokio::test]
async fn a_legacy_client_is_served_at_its_revision() {
    for revision in Revision::ALL.iter().copied().filter(|revision| *revision < Revision::V2026_07_28) {
        let builder = Client::builder("t", "0").mode(Mode::Legacy).revision(revision);
        let client = builder.connect(in_memory(calculator())).await.unwrap();
        assert_eq!(client.revision(), revision);
        assert_eq!(client.list_tools().await.unwrap().len(), 3);
        let result = client.call_tool("divide", json!({ "a": 1, "b": 0 })).await.unwrap();
        assert!(result.is_error);
    }
}

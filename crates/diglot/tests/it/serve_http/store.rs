//! Sessions whose records are kept where other processes find them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::server::{SessionLimits, SessionStore, StoreError};
use diglot::transport::BoxFuture;
use serde_json::json;
use serde_json::value::RawValue;

use super::desk::{Desk, all_shown, ask_for, bare, legacy, messages, next, open, post, send};

/// A store that two processes share.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<HashMap<String, Box<RawValue>>>>);

impl SessionStore for Shared {
    fn save<'a>(
        &'a self,
        id: &'a str,
        record: Box<RawValue>,
        idle: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        assert_eq!(idle, Duration::from_secs(60));
        self.0.lock().unwrap().insert(id.to_owned(), record);
        Box::pin(async { Ok(()) })
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Box<RawValue>>, StoreError>> {
        let found = self.0.lock().unwrap().get(id).cloned();
        Box::pin(async { Ok(found) })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        self.0.lock().unwrap().remove(id);
        Box::pin(async { Ok(()) })
    }
}

/// A store that is out of order.
struct Broken;

impl SessionStore for Broken {
    fn save<'a>(
        &'a self,
        _: &'a str,
        _: Box<RawValue>,
        _: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async { Err("out of order".into()) })
    }

    fn load<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Box<RawValue>>, StoreError>> {
        Box::pin(async { Err("out of order".into()) })
    }

    fn remove<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async { Err("out of order".into()) })
    }
}

#[tokio::test]
async fn another_process_takes_a_session_up_with_all_that_it_knows() {
    let store = Shared::default();
    let (here, there) = (Desk::new(), Desk::new());
    let limits = SessionLimits::default().idle(Duration::from_secs(60));
    let serve = |desk: &Desk| {
        let service = desk.service().sessions(limits.clone()).session_store(store.clone());
        service.principal_from(|parts| Some(parts.headers.get("authorization")?.to_str().ok()?.to_owned()))
    };
    let (first, second) = (serve(&here), serve(&there));
    let session = open(&first, "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str()), ("accept", "text/event-stream, application/json")];
    for message in [
        legacy(1, "logging/setLevel", json!({ "level": "error" })),
        legacy(2, "resources/subscribe", json!({ "uri": "test://greeting" })),
    ] {
        assert_eq!(ask_for(&first, post(&message, &headers)).await.status, 200);
    }
    let intruding = [headers[0], headers[1], ("authorization", "bob")];
    assert_eq!(ask_for(&second, bare("GET", &intruding)).await.status, 404);
    let mut stream = send(&second, bare("GET", &headers)).await.into_body();
    assert_eq!(next(&mut stream).await, ": \n\n");
    there.server.resource_changed("test://greeting");
    assert_eq!(all_shown(&messages(&next(&mut stream).await)), ["notifications/resources/updated"]);
    // The level holds too: this tool logs a warning.
    let call = legacy(3, "tools/call", json!({ "name": "chat", "arguments": {} }));
    assert_eq!(ask_for(&second, post(&call, &headers)).await.json()["id"], 3);
    assert_eq!(ask_for(&second, bare("DELETE", &headers)).await.status, 204);
    assert_eq!(store.0.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_store_out_of_order_costs_no_session_of_this_process() {
    let service = Desk::new().service().session_store(Broken);
    let session = open(&service, "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str())];
    assert_eq!(ask_for(&service, post(&legacy(1, "ping", json!({})), &headers)).await.status, 200);
    let unknown = [("mcp-session-id", "another")];
    assert_eq!(ask_for(&service, post(&legacy(1, "ping", json!({})), &unknown)).await.status, 404);
    assert_eq!(ask_for(&service, bare("DELETE", &headers)).await.status, 204);
}

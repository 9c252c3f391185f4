//! The client of this crate against its server, in both eras and over every way that HTTP has.

use std::sync::{Arc, Mutex};

use diglot::http::{HttpServer, HttpService, HttpSse, StreamableHttp};
use diglot::server::Eras;
use diglot::{Client, Era, Mode, Revision, Transport};
use serde_json::json;

use super::desk::Desk;

/// Serves on a port of the system's choice and returns the address without a path.
async fn serve(service: impl Into<HttpService>) -> String {
    let listener = HttpServer::bind(service, ("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listener.serve());
    format!("http://{address}")
}

async fn use_all(transport: impl Transport, mode: Mode, era: Era) -> Client {
    let client = Client::builder("tester", "1.0.0").mode(mode).connect(transport).await.unwrap();
    assert_eq!(client.era(), era);
    assert_eq!(client.server().unwrap().name, "desk");
    assert!(client.list_tools().await.unwrap().find("add").is_some());
    let sum: i64 = client.call_tool("add", json!({ "a": 1, "b": 2 })).await.unwrap().parse().unwrap();
    assert_eq!(sum, 3);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let call = client.call_tool("steps", json!({}));
    let done =
        call.on_progress(move |progress| listener.lock().unwrap().push(progress.progress)).await.unwrap();
    assert_eq!(done.text(), "done");
    assert_eq!(*heard.lock().unwrap(), [1.0, 2.0]);
    assert!(client.call_tool("broken", json!({})).await.is_err());
    client
}

#[tokio::test]
async fn a_dual_server_is_modern_to_who_asks_and_legacy_to_who_insists() {
    let url = format!("{}/mcp", serve(Desk::new().server).await);
    let client = use_all(StreamableHttp::new(&url).unwrap(), Mode::Auto, Era::Modern).await;
    assert_eq!(client.revision(), Revision::V2026_07_28);
    client.close().await;
    let client = use_all(StreamableHttp::new(&url).unwrap(), Mode::Legacy, Era::Legacy).await;
    assert_eq!(client.revision(), Revision::V2025_11_25);
    client.close().await;
}

#[tokio::test]
async fn a_server_of_one_era_is_found_to_be_that() {
    for (eras, era) in [(Eras::Modern, Era::Modern), (Eras::Legacy, Era::Legacy)] {
        let url = format!("{}/mcp", serve(Desk::new().server.eras(eras)).await);
        use_all(StreamableHttp::new(&url).unwrap(), Mode::Auto, era).await;
    }
}

#[tokio::test]
async fn legacy_without_sessions_serves_the_client_too() {
    let url = format!("{}/mcp", serve(Desk::new().service().stateless_legacy()).await);
    use_all(StreamableHttp::new(&url).unwrap(), Mode::Legacy, Era::Legacy).await;
}

#[tokio::test]
async fn the_deprecated_transport_serves_a_whole_session() {
    let service = Desk::new().service().http_sse("/sse", "/messages");
    let url = format!("{}/sse", serve(service).await);
    let client = use_all(HttpSse::new(&url).unwrap(), Mode::Auto, Era::Legacy).await;
    client.close().await;
    // Who takes the address for one of Streamable HTTP falls back to it.
    let client = use_all(StreamableHttp::new(&url).unwrap(), Mode::Auto, Era::Legacy).await;
    assert_eq!(client.transport_name(), "http+sse");
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_serves_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    let listener = HttpServer::bind_unix(Desk::new().server, &path).await.unwrap();
    tokio::spawn(listener.serve());
    use_all(StreamableHttp::unix(&path, "/mcp").unwrap(), Mode::Auto, Era::Modern).await;
    use_all(StreamableHttp::unix(&path, "/mcp").unwrap(), Mode::Legacy, Era::Legacy).await;
}

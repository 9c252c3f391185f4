//! Remembered eras: skipped probes, verdicts that prove wrong, and the file that several processes share.

use std::time::{Duration, SystemTime};

use diglot::client::{EraMemory, EraRecord, EraVerdict};
use diglot::error::TransportError;
use diglot::transport::{Binding, BoxFuture, Connection, MemoryTransport};
use diglot::{Era, EraStore, Limits, Transport};
use serde_json::json;

use super::{Reply, Scripted, builder, discovery, initialization, tools};

/// The transport of a scripted server, with a key to be remembered by.
struct Keyed(MemoryTransport, &'static str);

impl Transport for Keyed {
    fn binding(&self) -> Binding {
        self.0.binding()
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        self.0.open(limits)
    }

    fn target(&self) -> String {
        self.0.target()
    }

    fn name(&self) -> &'static str {
        "keyed"
    }

    fn key(&self) -> Option<String> {
        Some(self.1.to_owned())
    }
}

async fn connect(server: &Scripted, store: &EraStore) -> diglot::Client {
    let transport = Keyed(server.transport(), "the server");
    builder().remember(store.clone()).connect(transport).await.unwrap()
}

#[tokio::test]
async fn a_remembered_modern_server_costs_nothing_before_the_first_call() {
    let (store, server) = (EraStore::memory(), Scripted::modern());
    connect(&server, &store).await;
    let again = connect(&server, &store).await;
    assert_eq!(again.server().unwrap().name, "scripted");
    again.list_tools().await.unwrap();
    assert_eq!(server.methods(), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn a_remembered_legacy_server_is_not_probed_again() {
    let (store, server) = (EraStore::memory(), Scripted::legacy());
    for _ in 0..2 {
        connect(&server, &store).await.list_tools().await.unwrap();
    }
    let session = ["initialize", "notifications/initialized", "tools/list"];
    assert_eq!(server.methods()[1..4], session);
    assert_eq!(server.methods()[4..], session);
}

#[tokio::test]
async fn a_legacy_verdict_past_its_age_is_probed_again() {
    let (store, server) = (EraStore::memory().age_limit(Duration::ZERO), Scripted::legacy());
    connect(&server, &store).await;
    connect(&server, &store).await;
    assert_eq!(server.sent("server/discover").len(), 2);
}

#[tokio::test]
async fn a_server_that_became_modern_is_negotiated_afresh() {
    let store = EraStore::memory();
    connect(&Scripted::legacy(), &store).await;
    let server = Scripted::modern();
    let client = connect(&server, &store).await;
    assert_eq!(client.era(), Era::Modern);
    assert_eq!(server.methods(), ["initialize", "server/discover"]);
    connect(&server, &store).await;
    assert_eq!(server.methods().len(), 2);
}

#[tokio::test]
async fn a_server_that_became_legacy_is_found_out_by_the_first_call() {
    let store = EraStore::memory();
    connect(&Scripted::modern(), &store).await;
    let server = Scripted::new(|method, message| match (method, message["params"].get("_meta")) {
        ("server/discover", _) => Reply::error(-32601, "no"),
        ("initialize", _) => Reply::result(&initialization()),
        (_, Some(_)) => Reply::error(-32602, "Invalid request parameters"),
        _ => tools(method, message),
    });
    let client = connect(&server, &store).await;
    assert_eq!(client.era(), Era::Modern);
    assert_eq!(client.call_tool("echo", json!({"a": 1})).await.unwrap().text(), r#"{"a":1}"#);
    assert_eq!(client.era(), Era::Legacy);
    let expected = ["tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"];
    assert_eq!(server.methods(), expected);
}

#[tokio::test]
async fn a_wrong_call_to_a_remembered_modern_server_stays_that_servers_error() {
    let store = EraStore::memory();
    let server = Scripted::new(|method, _| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => Reply::error(-32602, "Unknown tool"),
    });
    connect(&server, &store).await;
    let client = connect(&server, &store).await;
    let error = client.call_tool("nope", ()).await.unwrap_err();
    assert!(matches!(&error, diglot::Error::Rpc(rpc) if rpc.message == "Unknown tool"), "{error:?}");
    assert_eq!(client.era(), Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_that_rests_on_silence_is_not_remembered() {
    let store = EraStore::memory();
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::Silence,
        "initialize" => Reply::result(&initialization()),
        _ => tools(method, message),
    });
    connect(&server, &store).await;
    connect(&server, &store).await;
    assert_eq!(server.sent("server/discover").len(), 2);
}

#[tokio::test]
async fn a_file_remembers_between_processes_and_survives_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep").join("eras.json");
    let server = Scripted::modern();
    connect(&server, &EraStore::file(&path)).await;
    let client = connect(&server, &EraStore::file(&path)).await;
    assert_eq!(client.instructions().as_deref(), Some("be kind"));
    assert_eq!(server.methods(), ["server/discover"]);
    for damage in ["", "{", "[]", r#"{"servers":{"the server":7}}"#, "\u{0}\u{0}"] {
        std::fs::write(&path, damage).unwrap();
        connect(&Scripted::modern(), &EraStore::file(&path)).await;
        assert!(std::fs::read_to_string(&path).unwrap().contains("2026-07-28"), "{damage}");
    }
}

/// Gives each of many writers the same file: their words must all be there in the end.
#[tokio::test(flavor = "multi_thread")]
async fn many_writers_of_one_file_lose_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eras.json");
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..40 {
        let store = EraStore::file(&path);
        let key: &'static str = Box::leak(format!("server {number}").into_boxed_str());
        writers.spawn(async move {
            let server = Scripted::legacy();
            let transport = Keyed(server.transport(), key);
            builder().remember(store).connect(transport).await.map(|_| ()).unwrap();
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["servers"].as_object().unwrap().len(), 40);
}

/// A store of a host's own that forgets nothing and invents a record.
struct Invented;

impl EraMemory for Invented {
    fn recall<'a>(&'a self, _key: &'a str) -> BoxFuture<'a, Option<EraRecord>> {
        Box::pin(async { Some(EraRecord::new(EraVerdict::Legacy, SystemTime::now())) })
    }

    fn remember<'a>(&'a self, _key: &'a str, _record: EraRecord) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    fn forget<'a>(&'a self, _key: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_store_of_the_hosts_own_is_asked() {
    let server = Scripted::legacy();
    connect(&server, &EraStore::new(Invented)).await.list_tools().await.unwrap();
    assert_eq!(server.methods(), ["initialize", "notifications/initialized", "tools/list"]);
}

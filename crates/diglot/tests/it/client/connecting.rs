//! Connecting: what goes over the wire, what the readers say, and what failures carry.

use std::time::Duration;

use diglot::error::{IncompatibleReason, Phase, Violation};
use diglot::{Downgrade, Era, Error, Mode, Revision};
use serde_json::json;

use super::{Reply, Scripted, builder, discovery, initialization};

#[tokio::test]
async fn a_modern_server_costs_one_request_before_the_first_call() {
    let server = Scripted::modern();
    let client = server.connect(builder()).await.unwrap();
    assert_eq!(server.methods(), ["server/discover"]);
    client.list_tools().await.unwrap();
    assert_eq!(server.methods(), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn a_legacy_server_costs_the_probe_and_the_handshake() {
    let server = Scripted::legacy();
    let client = server.connect(builder()).await.unwrap();
    client.list_tools().await.unwrap();
    let expected = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
    assert_eq!(server.methods(), expected);
}

#[tokio::test]
async fn a_pinned_legacy_revision_is_not_probed() {
    let server = Scripted::legacy();
    let client = server.connect(builder().revision(Revision::V2025_11_25)).await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(server.methods(), ["initialize", "notifications/initialized", "tools/list"]);
    assert_eq!(server.sent("initialize")[0]["params"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_readers_say_the_same_in_both_eras() {
    let mut said = Vec::new();
    for (server, era, revision) in [
        (Scripted::modern(), Era::Modern, Revision::V2026_07_28),
        (Scripted::legacy(), Era::Legacy, Revision::V2025_11_25),
    ] {
        let client = server.connect(builder()).await.unwrap();
        assert_eq!((client.era(), client.revision()), (era, revision));
        assert_eq!(client.supported_versions(), [revision.as_str()]);
        let capabilities = client.capabilities();
        assert!(capabilities.has("tools") && capabilities.declares("tools", "listChanged"));
        assert!(!capabilities.has("prompts"));
        said.push((client.server(), client.instructions(), capabilities.names()));
        assert!(!client.negotiation().trail.is_empty());
    }
    assert_eq!(said[0], said[1]);
}

#[tokio::test]
async fn every_modern_request_carries_the_envelope_and_no_legacy_one_does() {
    let envelope = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1.2.3"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let server = Scripted::modern();
    let client = server.connect(builder()).await.unwrap();
    client.list_tools().await.unwrap();
    client.call_tool("echo", json!({"a": 1})).await.unwrap();
    for method in ["server/discover", "tools/list", "tools/call"] {
        assert_eq!(server.sent(method)[0]["params"]["_meta"], envelope, "{method}");
    }
    let server = Scripted::legacy();
    let client = server.connect(builder()).await.unwrap();
    client.list_tools().await.unwrap();
    client.call_tool("echo", json!({"a": 1})).await.unwrap();
    for method in ["initialize", "notifications/initialized", "tools/list", "tools/call"] {
        assert!(server.sent(method)[0]["params"].get("_meta").is_none(), "{method}");
    }
}

#[tokio::test]
async fn request_ids_are_never_used_twice() {
    let server = Scripted::legacy();
    let client = server.connect(builder()).await.unwrap();
    for _ in 0..3 {
        client.list_tools().await.unwrap();
    }
    let saw = server.saw.lock().unwrap();
    let mut ids: Vec<_> = saw.iter().filter_map(|message| message["id"].as_i64()).collect();
    ids.dedup();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_refused_downgrade_carries_its_evidence_and_the_trail() {
    let server = Scripted::new(|_, _| Reply::error(-32603, "boom"));
    let error = server.connect(builder().downgrade(Downgrade::Conservative)).await.unwrap_err();
    let Error::DowngradeRefused(refused) = &error else { panic!("{error:?}") };
    assert_eq!(refused.row.rule(), "rpc-other-code");
    assert_eq!(error.negotiation().unwrap().trail.len(), 1);
    assert_eq!(
        error.to_string(),
        "the conservative policy does not take json-rpc-error -32603 for a legacy server (rpc-other-code); a more lenient policy would"
    );
    assert_eq!(server.methods(), ["server/discover"]);
}

#[tokio::test]
async fn modern_mode_says_that_the_server_is_legacy() {
    let server = Scripted::legacy();
    let error = server.connect(builder().mode(Mode::Modern)).await.unwrap_err();
    let Error::Incompatible(detail) = &error else { panic!("{error:?}") };
    assert_eq!(detail.reason, IncompatibleReason::LegacyServer);
    assert_eq!(server.methods(), ["server/discover"]);
}

#[tokio::test]
async fn contradicting_settings_send_nothing() {
    let server = Scripted::legacy();
    let contradicting = builder().mode(Mode::Modern).revision(Revision::V2025_06_18);
    let error = server.connect(contradicting).await.unwrap_err();
    assert!(matches!(error, Error::Incompatible(_)), "{error:?}");
    assert!(error.to_string().contains("2025-06-18"), "{error}");
    assert!(server.methods().is_empty());
}

#[tokio::test(start_paused = true)]
async fn silence_on_a_pipe_falls_back_and_never_cancels_the_probe() {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::Silence,
        "initialize" => Reply::result(&initialization()),
        _ => super::tools(method, message),
    });
    let client = server.connect(builder()).await.unwrap();
    assert_eq!(client.era(), Era::Legacy);
    client.list_tools().await.unwrap();
    assert_eq!(
        server.methods(),
        ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    );
    assert!(client.negotiation().trail[0].elapsed_ms >= 10_000);
    let error = server.connect(builder().downgrade(Downgrade::Conservative)).await.unwrap_err();
    let Error::Timeout(detail) = error else { panic!("{error:?}") };
    assert_eq!((detail.phase, detail.after), (Phase::Probe, Duration::from_secs(10)));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_answered_late_settles_a_failed_handshake() {
    let server = Scripted::new(|method, _| match method {
        "server/discover" => Reply::Silence,
        // The probe had the id 1, and it is answered only now.
        "initialize" => Reply::Lines(vec![
            json!({"jsonrpc": "2.0", "id": 1, "result": discovery()}).to_string(),
            r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"no such method"}}"#.to_owned(),
        ]),
        _ => Reply::Silence,
    });
    let client = server.connect(builder()).await.unwrap();
    assert_eq!(client.era(), Era::Modern);
    let rules: Vec<_> = client.negotiation().trail.iter().map(|step| step.rule).collect();
    assert_eq!(rules, ["silence-pipe", "late-discovery", "initialize-refused"]);
}

#[tokio::test]
async fn a_server_that_closes_on_the_probe_is_opened_once_more() {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::LastWords(Vec::new()),
        "initialize" => Reply::result(&initialization()),
        _ => super::tools(method, message),
    });
    let client = server.connect(builder()).await.unwrap();
    assert_eq!(client.era(), Era::Legacy);
    client.list_tools().await.unwrap();
    assert_eq!(
        server.methods(),
        ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    );
}

#[tokio::test]
async fn a_server_that_closes_after_refusing_initialize_reports_both() {
    let refusal = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"no licence"}}"#;
    let server = Scripted::new(move |method, _| match method {
        "server/discover" => Reply::error(-32601, "no"),
        _ => Reply::LastWords(vec![refusal.to_owned()]),
    });
    let error = server.connect(builder()).await.unwrap_err();
    let text = error.to_string();
    let Error::Protocol(detail) = error else { panic!("{error:?}") };
    assert!(matches!(detail.violation, Violation::InitializeRefused(_)));
    assert!(detail.closing.is_some(), "{text}");
    assert!(text.contains("no licence") && text.contains("closed the stream"), "{text}");
    assert_eq!(detail.negotiation.unwrap().trail.len(), 2);
}

#[tokio::test]
async fn a_legacy_server_may_ping_before_it_answers_initialize() {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::error(-32601, "no"),
        "initialize" => Reply::Lines(vec![
            r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_owned(),
            json!({"jsonrpc": "2.0", "id": message["id"], "result": initialization()}).to_string(),
        ]),
        _ => super::tools(method, message),
    });
    let client = server.connect(builder()).await.unwrap();
    client.list_tools().await.unwrap();
    let saw = server.saw.lock().unwrap();
    assert!(saw.iter().any(|message| message["id"] == "p" && message["result"] == json!({})), "{saw:?}");
}

#[tokio::test]
async fn discover_sends_nothing_but_discover() {
    let server = Scripted::modern();
    let found = builder().discover(server.transport()).await.unwrap();
    assert_eq!(found.supported_versions, ["2026-07-28"]);
    assert_eq!(server.methods(), ["server/discover"]);
    let legacy = Scripted::legacy();
    let error = builder().discover(legacy.transport()).await.unwrap_err();
    assert!(matches!(&error, Error::Rpc(rpc) if rpc.code == -32601), "{error:?}");
    assert_eq!(legacy.methods(), ["server/discover"]);
    let client = server.connect(builder()).await.unwrap();
    assert_eq!(client.discover().await.unwrap().instructions.as_deref(), Some("be kind"));
}

//! The tour is a test of its own: these check that it says so, in both of its forms.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a tour may take on a busy machine; on an idle one it is below a second.
const LONGEST: Duration = Duration::from_secs(10);

fn demo(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.arg("demo").args(arguments).env("NO_COLOR", "1");
    let began = Instant::now();
    let output = command.output().expect("cargo has built the command");
    assert!(began.elapsed() < LONGEST, "the tour took {:?}", began.elapsed());
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    output
}

fn tour() -> Value {
    serde_json::from_slice(&demo(&["--json"]).stdout).expect("with --json it prints one object")
}

#[test]
fn every_decision_is_the_expected_one() {
    let tour = tour();
    assert_eq!(tour["ok"], true, "{tour:#}");
    let servers = tour["servers"].as_array().unwrap();
    assert!(servers.len() >= 20);
    for server in servers {
        for policy in ["conservative", "standard", "lenient"] {
            assert_eq!(server["decisions"][policy]["expected"], true, "{server:#}");
        }
        assert_ne!(server["answered"], "", "{server:#}");
        assert_ne!(server["why"], "", "{server:#}");
    }
}

#[test]
fn the_policies_part_where_the_evidence_is_weak() {
    let tour = tour();
    let servers = tour["servers"].as_array().unwrap();
    let decisions = |name| &servers.iter().find(|server| server["name"] == name).unwrap()["decisions"];
    let silent = decisions("is silent");
    assert_eq!(silent["conservative"]["error"]["kind"], "timeout");
    assert_eq!(silent["standard"]["error"]["kind"], "timeout");
    assert_eq!(silent["lenient"]["era"], "legacy");
    let token = decisions("needs a token");
    assert_eq!(token["lenient"]["error"]["kind"], "auth-required");
    let modern = decisions("modern");
    assert_eq!(modern["conservative"]["protocolVersion"], "2026-07-28");
    let oldest = decisions("revision of 2024");
    assert_eq!(oldest["standard"]["transport"], "http+sse");
}

#[test]
fn the_tool_gives_the_same_in_both_eras() {
    let tour = tour();
    let calls = tour["calls"].as_array().unwrap();
    assert!(calls.iter().all(|call| call["result"] == 42), "{tour:#}");
    let sent = |era| {
        let call = calls.iter().find(|call| call["era"] == era).unwrap();
        call["sent"].as_array().unwrap().iter().map(|method| method.as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(sent("modern"), ["server/discover", "tools/list", "tools/call"]);
    assert_eq!(
        sent("legacy"),
        ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"]
    );
}

#[test]
fn the_table_names_every_server_within_a_hundred_columns() {
    let text = String::from_utf8(demo(&[]).stdout).unwrap();
    for server in tour()["servers"].as_array().unwrap() {
        let name = server["name"].as_str().unwrap();
        assert!(
            text.lines().any(|line| line.starts_with(&format!("  {name} "))),
            "{name} is missing:\n{text}"
        );
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.contains("decisions are the expected ones"), "{text}");
    assert!(text.contains("diglot probe -- npx -y @modelcontextprotocol/server-everything"), "{text}");
}

#[test]
fn a_proxy_of_the_environment_is_left_alone() {
    let output = Command::new(env!("CARGO_BIN_EXE_diglot"))
        .args(["demo", "--json"])
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

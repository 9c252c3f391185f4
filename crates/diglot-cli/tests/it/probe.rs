//! `diglot probe`: the object that scripts depend on, and the exit status.

use serde_json::{Value, json};

use crate::run::run;
use crate::site::{Site, legacy};

/// Checks that the members of an object come in this order, and that there are no others.
fn has_keys(object: &Value, text: &str, keys: &[&str]) {
    let found: Vec<&String> = object.as_object().unwrap().keys().collect();
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    assert_eq!(found, sorted, "{text}");
    let places: Vec<_> = keys.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
}

#[cfg(unix)]
#[test]
fn a_success_is_the_object_of_the_contract() {
    let ran = run(&["probe", "--json", "--", "sh", "-c", crate::run::MODERN]);
    let object = ran.json();
    assert_eq!(ran.exit, 0, "{}", ran.told());
    let keys = [
        "ok",
        "target",
        "transport",
        "era",
        "protocolVersion",
        "supportedVersions",
        "server",
        "capabilities",
        "instructions",
        "policy",
        "elapsedMs",
        "trail",
    ];
    has_keys(&object, &ran.stdout, &keys);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(object["transport"], "stdio");
    assert_eq!(object["era"], "modern");
    assert_eq!(object["protocolVersion"], "2026-07-28");
    assert_eq!(object["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(object["server"], json!({"name": "shell", "version": "1"}));
    assert_eq!(object["capabilities"], json!({"tools": {}}));
    assert_eq!(object["policy"], "standard");
    assert_eq!(object["trail"][0]["sent"], "server/discover");
    assert_eq!(object["trail"][0]["saw"]["kind"], "discover-result");
    assert_eq!(object["trail"][0]["verdict"], "modern");
}

#[cfg(unix)]
#[test]
fn people_get_a_verdict_and_the_trail() {
    let ran = run(&["probe", "--", "sh", "-c", crate::run::LEGACY]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    for word in
        ["legacy server at revision 2025-06-18", "shell 1", "prompts, tools", "rpc-legacy-code", "initialize"]
    {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.told());
    }
    assert_eq!(ran.stderr, "");
}

#[cfg(unix)]
#[test]
fn a_server_cannot_write_to_the_terminal() {
    let ran = run(&["probe", "--color", "always", "--", "sh", "-c", crate::run::MODERN]);
    assert!(ran.stdout.contains("Be \u{fffd}[31mkind."), "{}", ran.told());
}

#[test]
fn a_legacy_server_over_http_is_told_with_its_steps() {
    let site = Site::new(legacy);
    let ran = run(&["probe", "--json", &site.url]);
    let object = ran.json();
    assert_eq!((ran.exit, &object["era"]), (0, &json!("legacy")), "{}", ran.told());
    assert_eq!(object["transport"], "streamable-http");
    assert_eq!(object["target"], site.url);
    assert_eq!(object["trail"][0]["saw"]["httpStatus"], 400);
    assert_eq!(object["trail"][1]["sent"], "initialize");
    let methods: Vec<String> = site.seen().iter().map(|request| request.method.clone()).collect();
    assert_eq!(
        methods,
        ["POST", "POST", "POST", "DELETE"],
        "probe, initialize, initialized, the end of the session"
    );
}

#[test]
#[rustfmt::skip]
fn every_refusal_has_its_kind_and_exit_status() {
    let table = [
        (401, "www-authenticate: Bearer\r\n", "",                          4, "auth-required"),
        (403, "",                             "",                          4, "forbidden"),
        (503, "",                             "down",                      1, "http-status"),
        (404, "",                             "",                          1, "http-status"),
        (200, "content-type: text/html\r\n",  "<title>Hello</title>",      1, "not-mcp"),
        (302, "location: http://other/\r\n",  "",                          1, "redirect-refused"),
    ];
    for (status, headers, body, exit, kind) in table {
        let site = Site::always(status, headers, body);
        let ran = run(&["probe", "--json", &site.url]);
        let object = ran.failed(exit, kind);
        has_keys(&object, &ran.stdout, &["ok", "target", "error", "policy", "elapsedMs", "trail"]);
        assert_eq!(object["error"]["httpStatus"], status, "{}", ran.told());
        assert_ne!(object["trail"], json!([]), "{}", ran.told());
    }
}

#[test]
fn what_cannot_be_reached_ends_with_three() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp?key=secret", listener.local_addr().unwrap());
    let silent = run(&["probe", "--json", "--probe-timeout", "100ms", &url]);
    silent.failed(3, "timeout");
    drop(listener);
    let refused = run(&["probe", "--json", &url]);
    let object = refused.failed(3, "connection-failed");
    assert!(object["error"]["message"].as_str().unwrap().contains(": caused by "), "{}", refused.told());
    assert!(!silent.told().contains("secret") && !refused.told().contains("secret"), "{}", refused.told());
    run(&["probe", "--json", "--", "no-such-command-anywhere"]).failed(3, "connection-failed");
}

#[cfg(unix)]
#[test]
fn a_child_that_dies_is_told_with_its_last_words() {
    let ran = run(&["probe", "--json", "--", "sh", "-c", "echo the disk is full >&2; exit 7"]);
    let object = ran.failed(1, "process-exited");
    assert!(object["error"]["message"].as_str().unwrap().contains("the disk is full"), "{}", ran.told());
    assert_eq!(object["trail"].as_array().unwrap().len(), 2, "it was started twice: {}", ran.told());
}

#[test]
fn a_refused_downgrade_says_which_policy_would_allow_it() {
    let site = Site::always(415, "", "");
    let ran = run(&["probe", "--json", "--downgrade", "conservative", &site.url]);
    let object = ran.failed(1, "downgrade-refused");
    assert_eq!(object["policy"], "conservative");
    assert!(object["error"]["hint"].as_str().unwrap().contains("--downgrade"), "{}", ran.told());
}

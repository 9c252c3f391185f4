//! `--trace FILE`: everything is in it, and no secret is.

use std::path::Path;

use serde_json::Value;

use crate::run::{LEGACY, command, run_in};
use crate::site::{Site, legacy};

fn lines(file: &Path) -> (String, Vec<Value>) {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    (text, lines)
}

#[test]
fn an_http_trace_holds_the_exchanges_and_no_secret() {
    let site = Site::new(legacy);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}?key=query-secret", site.url);
    let words = ["call", &url, "any", "--json-args", "{\"echo\":\"tok-0123456789\"}", "--trace", "t.jsonl"];
    let mut command = command(folder.path());
    command.args(words).args(["--bearer-env", "MY_TOKEN", "--header", "X-Key: header-secret"]);
    let output = command.env("MY_TOKEN", "tok-0123456789").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        site.seen().iter().any(|request| request.head.contains("Bearer tok-0123456789")),
        "the token is sent"
    );
    let (text, lines) = lines(&folder.path().join("t.jsonl"));
    for secret in ["tok-0123456789", "header-secret", "query-secret", "0123456789abcdef-session"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    for kind in ["message", "http-request", "http-response"] {
        assert!(lines.iter().any(|line| line["kind"] == kind), "{kind}: {text}");
    }
    let request = lines.iter().find(|line| line["kind"] == "http-request").unwrap();
    assert_eq!((&request["dir"], &request["method"]), (&"out".into(), &"POST".into()));
    assert_eq!(request["headers"]["authorization"], "[redacted]");
    assert_eq!(request["headers"]["x-key"], "[redacted]");
    assert_eq!(request["headers"]["mcp-protocol-version"], "2026-07-28");
    assert!(lines.iter().any(|line| line["headers"]["mcp-session-id"] == "01234567…"), "{text}");
    assert!(lines.iter().any(|line| line["message"]["method"] == "initialize"), "{text}");
    assert!(lines.iter().any(|line| line["message"]["result"]["serverInfo"]["name"] == "site"), "{text}");
    assert!(lines.iter().any(|line| line["status"] == 400), "{text}");
}

#[test]
fn a_trace_of_a_child_never_holds_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("echo \"key is $SERVER_KEY\" >&2\n{LEGACY}");
    let config = serde_json::json!({"mcpServers": {"one": {
        "command": "sh", "args": ["-c", script], "env": {"SERVER_KEY": "env-secret-value"}}}});
    std::fs::write(folder.path().join(".mcp.json"), config.to_string()).unwrap();
    let words = ["call", "one", "echo", "--json-args", "{\"k\":\"env-secret-value\"}", "--trace", "t.jsonl"];
    let ran = run_in(folder.path(), &words, "");
    assert!(ran.stdout.contains("env-secret-value"), "the value itself goes through: {}", ran.told());
    let (text, lines) = lines(&folder.path().join("t.jsonl"));
    assert!(!text.contains("env-secret-value"), "{text}");
    assert!(
        lines.iter().any(|line| line["kind"] == "stderr" && line["text"] == "key is [redacted]"),
        "{text}"
    );
    assert!(lines.iter().any(|line| line["dir"] == "in" && line["message"]["id"].is_number()), "{text}");
}

#[test]
fn a_trace_that_cannot_be_written_is_a_usage_failure() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["probe", "--json", "--trace", "no/such/folder/t", "http://localhost/"];
    run_in(folder.path(), &words, "").failed(2, "usage");
}

//! Servers by their names in the configuration files of hosts.

use std::path::Path;

use crate::run::{MODERN, run_in};
use crate::site::{Site, legacy};

fn entry(script: &str) -> String {
    let script = serde_json::Value::from(script);
    format!("{{\"command\": \"sh\", \"args\": [\"-c\", {script}]}}")
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_name_is_looked_up_from_the_working_directory_upward() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    write(folder.path(), ".mcp.json", &format!("{{\"mcpServers\": {{\"outer\": {}}}}}", entry(MODERN)));
    let vscode = format!("{{ // servers\n \"servers\": {{\"inner\": {},}}\n}}", entry(MODERN));
    write(folder.path(), "a/.vscode/mcp.json", &vscode);
    for name in ["outer", "inner"] {
        let ran = run_in(&inner, &["probe", "--json", name], "");
        assert_eq!((ran.exit, &ran.json()["era"]), (0, &"modern".into()), "{}", ran.told());
    }
}

#[test]
fn the_files_of_known_hosts_are_searched() {
    for file in [".claude.json", ".cursor/mcp.json"] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), file, &format!("{{\"mcpServers\": {{\"one\": {}}}}}", entry(MODERN)));
        let ran = run_in(folder.path(), &["probe", "--json", "one"], "");
        assert_eq!(ran.exit, 0, "{file}: {}", ran.told());
    }
}

#[test]
fn an_unknown_name_lists_what_is_known_and_where() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".mcp.json", "{\"mcpServers\": {\"one\": {\"command\": \"x\"}, \"bad\": 5}}");
    write(folder.path(), ".claude.json", "{\n\"mcpServers\": oops\n}");
    let ran = run_in(folder.path(), &["probe", "--json", "two"], "");
    let object = ran.failed(2, "usage");
    let message = object["error"]["message"].as_str().unwrap();
    for word in ["\"two\"", "known are bad, one", ".mcp.json", ".claude.json: line 2, column "] {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn a_named_file_must_be_readable() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "broken.json", "{\"servers\": {\n  oops\n}}");
    for file in ["broken.json", "missing.json"] {
        let ran = run_in(folder.path(), &["probe", "--json", "--config", file, "one"], "");
        let object = ran.failed(2, "usage");
        assert!(object["error"]["message"].as_str().unwrap().contains(file), "{object}");
    }
}

#[test]
fn headers_of_a_configured_server_are_sent_and_inputs_are_refused() {
    let site = Site::new(legacy);
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "{{\"servers\": {{\"web\": {{\"type\": \"http\", \"url\": {:?}, \"headers\": {{\"X-Team\": \"${{TEAM:-blue}}\"}}}},
          \"asks\": {{\"url\": {:?}, \"headers\": {{\"X-Key\": \"${{input:key}}\"}}}}}}}}",
        site.url, site.url
    );
    write(folder.path(), ".mcp.json", &text);
    let ran = run_in(folder.path(), &["probe", "--json", "web"], "");
    assert_eq!(ran.exit, 0, "{}", ran.told());
    assert!(site.seen().iter().all(|request| request.head.to_lowercase().contains("x-team: blue")));
    let object = run_in(folder.path(), &["probe", "--json", "asks"], "").failed(2, "usage");
    assert!(object["error"]["message"].as_str().unwrap().contains("${input:key}"), "{object}");
}

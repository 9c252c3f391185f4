//! `diglot listen`: a line a change, in both eras, until the server ends it or Ctrl-C does.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::run::{LEGACY, command, run};

/// A modern server that grants tools and resources, tells of two changes and ends the subscription.
const MODERN: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  meta="\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$id}"
  say() { printf '{"jsonrpc":"2.0","method":"notifications/%s","params":{%s}}\n' "$1" "$2"; }
  case $line in
    *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true}},"ttlMs":0,"cacheScope":"private"}}\n' "$id" ;;
    *'"subscriptions/listen"'*)
      say subscriptions/acknowledged "$meta,\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"x:1\"]}"
      say tools/list_changed "$meta"
      say resources/updated "$meta,\"uri\":\"x:1\""
      printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\n' "$id" "$meta" ;;
  esac
done
"#;

/// A legacy server that tells of a resource as soon as it is asked to, and then says nothing more.
const SUBSCRIBABLE: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"resources/subscribe"'*) answer '"result":{}'; printf '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:1"}}\n' ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"not known"}' ;;
  esac
done
"#;

#[test]
fn scripts_get_a_line_of_json_a_change() {
    let ran = run(&["listen", "--json", "--resource", "x:1", "--tools", "--", "sh", "-c", MODERN]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, [json!({"change": "tools"}), json!({"change": "resource", "uri": "x:1"})]);
}

#[test]
fn people_hear_what_is_listened_to_and_what_is_not() {
    let ran = run(&[
        "listen",
        "--resource",
        "x:1",
        "--resource",
        "x:2",
        "--tools",
        "--prompts",
        "--",
        "sh",
        "-c",
        MODERN,
    ]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    assert_eq!(ran.stdout, "the list of tools has changed\nthe resource x:1 has changed\n", "{}", ran.told());
    assert!(ran.stderr.contains("warning: the server does not tell of prompts, x:2\n"), "{}", ran.told());
    assert!(ran.stderr.contains(" for tools, x:1; Ctrl-C ends it\n"), "{}", ran.told());
}

#[test]
fn with_nothing_named_all_that_the_server_offers_is_asked_for() {
    let ran = run(&["listen", "--", "sh", "-c", MODERN]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    // It offers prompts too, and does not grant them.
    assert!(ran.stderr.contains("warning: the server does not tell of prompts\n"), "{}", ran.told());
}

#[test]
fn a_server_that_tells_of_nothing_is_a_failure() {
    let ran = run(&["listen", "--json", "--", "sh", "-c", LEGACY]);
    ran.failed(1, "protocol-error");
    assert!(ran.stderr.contains("--resource URI"), "{}", ran.told());
    let ran = run(&["listen", "--json", "--resource", "x:1", "--", "sh", "-c", LEGACY]);
    ran.failed(1, "protocol-error");
    assert!(ran.stderr.contains("x:1"), "{}", ran.told());
}

#[test]
fn a_word_too_many_is_refused() {
    let ran = run(&["listen", "--json", "word", "--", "sh", "-c", MODERN]);
    ran.failed(2, "usage");
}

#[test]
fn an_interrupt_ends_it_well() {
    let mut command = command(&std::env::temp_dir());
    command.args(["listen", "--resource", "x:1", "--", "sh", "-c", SUBSCRIBABLE]);
    let mut process =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("the resource x:1 has changed"));
    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

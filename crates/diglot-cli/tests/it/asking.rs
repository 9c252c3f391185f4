//! What a server asks while it answers, where nobody can be asked; and the roots.

use crate::run::{Ran, run};

const DIGLOT: &str = env!("CARGO_BIN_EXE_diglot");

/// A legacy server that asks for the roots when its tool is called, and gives them back as text.
const ROOTS: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) roots=${line#*\"roots\":}; answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/call"'*) call=$id; printf '{"jsonrpc":"2.0","id":"r","method":"roots/list"}\n' ;;
    *'"roots":['*) uri=${line#*\"uri\":\"}; uri=${uri%%\"*}; id=$call; answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$uri\"}]}" ;;
    *'"error"'*) id=$call; answer '"result":{"content":[],"isError":true}' ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"not known"}' ;;
  esac
done
"#;

fn confirm(words: &[&str]) -> Ran {
    run(&[&["call"], words, &["confirm", "question=Sure?\u{1b}[2J", "--", DIGLOT, "serve", "--demo"]]
        .concat())
}

#[test]
fn without_a_terminal_what_a_server_asks_is_declined_and_said() {
    for mode in ["modern", "legacy"] {
        let ran = confirm(&["--mode", mode]);
        assert_eq!(ran.exit, 5, "{}", ran.told());
        assert!(ran.stderr.contains("the server \"diglot-demo\" at "), "{}", ran.told());
        assert!(ran.stderr.contains("asks: Sure?\u{fffd}[2J"), "{}", ran.told());
        assert!(ran.stderr.contains("declined, because there is no terminal to ask at"), "{}", ran.told());
        let ran = confirm(&["--mode", mode, "--no-input"]);
        assert!(ran.stderr.contains("declined, because --no-input is given"), "{}", ran.told());
    }
}

#[test]
fn a_root_is_told_to_a_server_that_asks() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let ran = run(&["call", "where", "--root", root, "--", "sh", "-c", ROOTS]);
    let expected = format!("file://{}\n", folder.path().canonicalize().unwrap().display());
    assert_eq!((ran.exit, ran.stdout), (0, expected), "{}", ran.stderr);
    let ran = run(&["call", "where", "--", "sh", "-c", ROOTS]);
    assert_eq!(ran.exit, 5, "without --root none is offered: {}", ran.told());
    let ran = run(&["call", "where", "--root", "/no/such/folder", "--", "sh", "-c", ROOTS]);
    assert_eq!(ran.exit, 2, "{}", ran.told());
}

//! `diglot read`: text as text, bytes as bytes, and what a server asks first.

use crate::run::{Ran, run};

const DIGLOT: &str = env!("CARGO_BIN_EXE_diglot");

/// A legacy server with a resource of two contents, one of them bytes, as a shell script.
const MIXED: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"resources/read"'*'"a://both"'*) answer '"result":{"contents":[{"uri":"a://both/one","text":"one"},{"uri":"a://both/two","mimeType":"image/png","blob":"AP8="}]}' ;;
    *'"resources/read"'*'"a://blob"'*) answer '"result":{"contents":[{"uri":"a://blob","mimeType":"image/png","blob":"ABtbMW0="}]}' ;;
    *'"resources/read"'*) answer '"error":{"code":-32002,"message":"Resource not found"}' ;;
    *'"resources/list"'*) answer '"result":{"resources":[{"uri":"a://both","name":"both"},{"uri":"a://blob","name":"picture"}]}' ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"not known"}' ;;
  esac
done
"#;

fn read(words: &[&str]) -> Ran {
    run(&[&["read"], words, &["--", "sh", "-c", MIXED]].concat())
}

#[test]
fn a_text_of_either_era_goes_out_as_it_is() {
    for mode in ["modern", "legacy"] {
        let ran = run(&["read", "--mode", mode, "demo://greeting", "--", DIGLOT, "serve", "--demo"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, "Hello from Diglot."), "{}", ran.told());
    }
}

#[test]
fn scripts_get_the_result_as_it_came() {
    let ran = read(&["--json", "a://both"]);
    assert_eq!(
        ran.stdout,
        "{\"contents\":[{\"uri\":\"a://both/one\",\"text\":\"one\"},{\"uri\":\"a://both/two\",\"mimeType\":\"image/png\",\"blob\":\"AP8=\"}]}\n",
        "{}",
        ran.told()
    );
}

#[test]
fn bytes_go_into_a_pipe_and_a_file_as_they_are() {
    let ran = read(&["a://blob"]);
    assert_eq!((ran.exit, ran.stdout.as_bytes()), (0, &b"\x00\x1b[1m"[..]), "{}", ran.told());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("picture");
    let ran = read(&["a://blob", "--output", file.to_str().unwrap()]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""), "{}", ran.told());
    assert_eq!(std::fs::read(&file).unwrap(), b"\x00\x1b[1m");
    assert_eq!(ran.stderr, format!("saved image/png to {}\n", file.display()));
}

#[test]
fn several_contents_are_saved_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let ran = read(&["a://both", "--json", "--output", "x"]);
    assert_eq!(ran.exit, 0, "with --json nothing is saved: {}", ran.told());
    let ran = read(&["a://both", "--output", folder.path().join("file").to_str().unwrap()]);
    assert_eq!(ran.exit, 2, "{}", ran.told());
    assert!(ran.stderr.contains("name a folder"), "{}", ran.told());
    let ran = read(&["a://both", "--output", folder.path().to_str().unwrap()]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    assert_eq!(std::fs::read(folder.path().join("two-1.png")).unwrap(), [0, 255]);
}

#[test]
fn an_address_that_is_close_is_offered() {
    let ran = read(&["a://bolb", "--json"]);
    let object = ran.failed(1, "protocol-error");
    assert_eq!(
        object["error"]["hint"],
        "the server lists no such resource; did you mean a://both or a://blob?"
    );
    let ran = read(&["picture", "--json"]);
    assert_eq!(ran.json()["error"]["hint"], "the server lists no such resource; did you mean a://blob?");
    assert_eq!(run(&["read", "--", "sh"]).exit, 2);
}

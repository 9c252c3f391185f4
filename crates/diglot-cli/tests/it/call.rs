//! `diglot call`: what goes out is what was written, and what comes back is told as it came.

use std::process::Stdio;

use crate::run::{LEGACY, Ran, command, run, run_in};

fn call(words: &[&str]) -> Ran {
    run(&[&["call"], words, &["--", "sh", "-c", LEGACY]].concat())
}

#[test]
fn values_are_typed_by_the_schema_and_keep_their_digits() {
    let ran = call(&[
        "echo",
        "--json",
        "s=1.0",
        "i=123456789012345678901234567890",
        "x=1.0",
        "j:={\"b\": 1, \"a\":[ 2]}",
    ]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    let sent = r#"{"s":"1.0","i":123456789012345678901234567890,"x":1.0,"j":{"b": 1, "a":[ 2]}}"#;
    assert_eq!(ran.stdout, format!("{{\"content\":[],\"structuredContent\":{sent}}}\n"));
}

#[test]
fn json_arguments_go_out_byte_for_byte() {
    let arguments = r#"{"x":  1.0 ,"big":1e400,"x":"\u00e9"}"#;
    let expected = format!("{{\"content\":[],\"structuredContent\":{arguments}}}\n");
    assert_eq!(call(&["echo", "--json", "--json-args", arguments]).stdout, expected);
    let words = ["call", "--json", "echo", "-", "--", "sh", "-c", LEGACY];
    assert_eq!(run_in(&std::env::temp_dir(), &words, arguments).stdout, expected);
}

#[test]
fn structured_content_is_shown_where_there_is_no_text() {
    let ran = call(&["echo", "--json-args", r#"{"a":[1.0]}"#]);
    assert_eq!(ran.stdout, "{\n  \"a\": [\n    1.0\n  ]\n}\n");
}

#[test]
fn a_tool_that_fails_ends_with_five() {
    let ran = call(&["fail"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (5, "it broke\n"), "{}", ran.told());
    assert!(ran.stderr.contains("error: the tool fail reports an error"), "{}", ran.told());
    let ran = call(&["fail", "--json"]);
    assert_eq!((ran.exit, &ran.json()["isError"]), (5, &true.into()), "{}", ran.told());
}

#[test]
fn an_unknown_tool_is_told_with_the_names_that_are_close() {
    let listed = call(&["ecko", "a=1", "--json"]);
    let object = listed.failed(2, "usage");
    assert_eq!(object["error"]["hint"], "did you mean echo?");
    let called = call(&["ecko", "--json"]);
    let object = called.failed(1, "protocol-error");
    assert_eq!(object["error"]["hint"], "did you mean echo?");
}

#[test]
fn a_value_of_the_wrong_type_is_refused_before_the_call() {
    let object = call(&["echo", "i=many", "--json"]).failed(2, "usage");
    assert_eq!(object["error"]["message"], "i takes integer, and \"many\" is none");
}

#[test]
fn images_are_saved_where_a_folder_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("new");
    let ran = call(&["picture", "--output", output.to_str().unwrap()]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, "see\n"), "{}", ran.told());
    assert_eq!(std::fs::read(output.join("picture-1.png")).unwrap(), b"hello");
    let ran = call(&["picture"]);
    assert!(ran.stderr.contains("image/png, 5 bytes: save it with --output DIR"), "{}", ran.told());
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let mut command = command(&std::env::temp_dir());
    command.args(["call", "echo", "--", "sh", "-c", LEGACY]);
    let mut process =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(process.stdout.take());
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

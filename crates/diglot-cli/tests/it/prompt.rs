//! `diglot prompt` and `diglot complete`: messages for people, values for scripts, and hints where a name is wrong.

use serde_json::json;

use crate::run::{Ran, run};

const DIGLOT: &str = env!("CARGO_BIN_EXE_diglot");

fn demo(words: &[&str]) -> Ran {
    run(&[words, &["--", DIGLOT, "serve", "--demo"]].concat())
}

#[test]
fn messages_stand_below_who_says_them() {
    for mode in ["modern", "legacy"] {
        let ran = demo(&["prompt", "--mode", mode, "greet", "name=Ada"]);
        let expected = "user:\nGreet Ada in one friendly sentence.\n";
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, expected), "{}", ran.told());
    }
    let ran = demo(&["prompt", "--json", "greet", "name=Ada"]);
    assert_eq!(ran.json()["messages"][0]["role"], "user", "{}", ran.told());
}

#[test]
fn what_a_prompt_lacks_is_said() {
    let ran = demo(&["prompt", "--json", "greet"]);
    assert_eq!(ran.failed(1, "protocol-error")["error"]["hint"], "the prompt needs name", "{}", ran.told());
    let ran = demo(&["prompt", "--json", "great", "name=Ada"]);
    let object = ran.failed(1, "protocol-error");
    assert_eq!(object["error"]["hint"], "the server lists no prompt \"great\"; did you mean greet?");
    assert_eq!(demo(&["prompt"]).exit, 2);
    assert_eq!(demo(&["prompt", "greet", "name:=1"]).exit, 2);
}

#[test]
fn completions_stand_one_a_line() {
    for mode in ["modern", "legacy"] {
        let ran = demo(&["complete", "--mode", mode, "prompt", "greet", "name", "a"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, "Ada\nAlan\n"), "{}", ran.told());
        let ran =
            demo(&["complete", "--mode", mode, "template", "demo://notes/{name}", "name", "--with", "x=1"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, "eras\ntools\nwelcome\n"), "{}", ran.told());
    }
    let ran = demo(&["complete", "--json", "prompt", "greet", "name", "Al"]);
    assert_eq!(ran.json()["completion"]["values"], json!(["Alan"]), "{}", ran.told());
}

#[test]
fn a_wrong_name_is_told_with_the_right_one() {
    for (words, hint) in [
        (["prompt", "greets", "name"], "did you mean greet?"),
        (["template", "demo://note/{name}", "name"], "did you mean demo://notes/{name}?"),
    ] {
        let ran = demo(&[&["complete"], &words[..]].concat());
        assert!(ran.stderr.contains(hint), "{words:?}: {}", ran.told());
    }
    assert_eq!(demo(&["complete", "tool", "add", "a"]).exit, 2);
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(&["completions", shell]);
        assert_eq!(ran.exit, 0, "{}", ran.told());
        assert!(ran.stdout.contains("diglot") && ran.stdout.contains("probe"), "{shell}: {}", ran.told());
    }
}

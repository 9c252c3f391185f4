//! Command lines that cannot be meant: exit status 2, nothing sent, and an object for scripts.

use crate::run::run;
use crate::site::Site;

#[test]
fn a_bad_line_is_an_object_where_scripts_wait_for_one() {
    for words in [
        &["probe", "--json"][..],
        &["probe", "--json", "--mode", "both", "http://localhost/"],
        &["probe", "--no-such-option", "http://localhost/", "--json"],
        &["probe", "--json", "--probe-timeout", "soon", "http://localhost/"],
        &["probe", "--json", "--protocol-version", "2020-01-01", "http://localhost/"],
        &["probe", "--json", "ftp://localhost/"],
        &["probe", "--json", "http://"],
        &["call", "--json", "http://localhost/"],
        &["call", "--json", "http://localhost/", "tool", "--json-args", "[1]"],
        &["list", "--json", "http://localhost/", "cheeses"],
        &["probe", "--json", "--header", "X-Key: 1", "--", "server"],
        &["probe", "--json", "--transport", "sse", "--", "server"],
        &["probe", "--json", "http://localhost/", "--", "server"],
    ] {
        let object = run(words).failed(2, "usage");
        assert!(!object["error"]["message"].as_str().unwrap().contains('\n'), "{object}");
    }
}

#[test]
fn without_json_nothing_is_printed_on_stdout() {
    for words in
        [&["probe"][..], &["probe", "--mode", "both", "x"], &["probe", "--nonsense", "--", "x", "--json"]]
    {
        let ran = run(words);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{}", ran.told());
        assert!(ran.stderr.contains("error: "), "{}", ran.told());
    }
}

#[test]
fn settings_that_contradict_each_other_send_nothing() {
    let site = Site::always(200, "", "");
    for settings in [
        &["--mode", "modern", "--transport", "sse"][..],
        &["--protocol-version", "2026-07-28", "--transport", "sse"],
        &["--mode", "modern", "--protocol-version", "2025-06-18"],
        &["--mode", "legacy", "--protocol-version", "2026-07-28"],
    ] {
        let words = [&["probe", "--json", site.url.as_str()], settings].concat();
        run(&words).failed(2, "usage");
    }
    assert!(site.seen().is_empty(), "{:?}", site.seen());
}

#[test]
fn a_secret_is_not_repeated() {
    for words in [
        &["probe", "--json", "--header", "hunter2", "http://localhost/"][..],
        &["probe", "--json", "--header", "hunter2 x: y", "http://localhost/"],
        &[
            "probe",
            "--json",
            "--bearer-env",
            "NO_SUCH_VARIABLE_IS_SET",
            "http://me:hunter2@localhost/?key=hunter2",
        ],
        &["probe", "--json", "http://me:hunter2@localhost/?key=hunter2"],
    ] {
        let ran = run(words);
        ran.failed(2, "usage");
        assert!(!ran.told().contains("hunter2"), "{}", ran.told());
    }
}

#[test]
fn help_is_no_failure() {
    for words in [&["--help"][..], &["probe", "--help"], &["--version"]] {
        let ran = run(words);
        assert_eq!(ran.exit, 0, "{}", ran.told());
        assert!(ran.stdout.contains("diglot"), "{}", ran.told());
    }
}

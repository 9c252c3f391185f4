//! The `Accept` header, by value.

use diglot_proto::http::accept::Accept;
use proptest::prelude::*;

/// Returns `json` and `event_stream`.
fn accept(values: &[&str]) -> (bool, bool) {
    let accept = Accept::read(values.iter().map(|value| value.as_bytes()));
    (accept.json, accept.event_stream)
}

const BOTH: (bool, bool) = (true, true);
const JSON: (bool, bool) = (true, false);
const STREAM: (bool, bool) = (false, true);
const NEITHER: (bool, bool) = (false, false);

#[test]
fn a_request_that_says_nothing_accepts_both() {
    for values in [&[][..], &[""], &[" , ,"], &["json"], &["application/"], &["/json", "*"]] {
        assert_eq!(accept(values), BOTH, "{values:?}");
    }
}

#[test]
fn types_and_wildcards_are_understood_in_any_case() {
    for (value, expected) in [
        ("application/json, text/event-stream", BOTH),
        ("application/json,text/event-stream", BOTH),
        ("application/json", JSON),
        ("text/event-stream", STREAM),
        ("Application/JSON", JSON),
        ("TEXT/Event-Stream", STREAM),
        ("*/*", BOTH),
        ("application/*", JSON),
        ("text/*", STREAM),
        ("text/html, */*;q=0.1", BOTH),
        ("text/html", NEITHER),
        ("application/json-rpc", NEITHER),
        ("application/jsonx, xapplication/json", NEITHER),
    ] {
        assert_eq!(accept(&[value]), expected, "{value}");
    }
}

#[test]
fn several_headers_are_one_list() {
    assert_eq!(accept(&["application/json", "text/event-stream"]), BOTH);
}

#[test]
fn parameters_do_not_matter() {
    for value in [
        "application/json; charset=utf-8",
        "application/json;version=\"1, text/event-stream\"",
        "application/json;a=\"\\\", text/event-stream;q=0\"",
        "application/json ; q=0.5; ext=1",
        "application/json;q=1.000",
        "application/json;q",
    ] {
        assert_eq!(accept(&[value]), JSON, "{value}");
    }
}

#[test]
fn a_weight_of_zero_excludes() {
    for (value, expected) in [
        ("application/json;q=0", NEITHER),
        ("application/json;q=0, */*", STREAM),
        ("*/*, application/json;Q=0.000", STREAM),
        ("*/*;q=0", NEITHER),
        ("*/*;q=0, text/event-stream", STREAM),
        ("text/*;q=0, */*", JSON),
        ("text/event-stream, text/*;q=0", STREAM),
        ("application/json;q=0, application/json", JSON),
        ("application/json ; q = 0", NEITHER),
    ] {
        assert_eq!(accept(&[value]), expected, "{value}");
    }
}

#[test]
fn what_is_no_media_range_is_skipped() {
    for value in [
        "application/json, text/event-stream;q=high",
        "application/json, text/event-stream;q=-1",
        "application/json, text/event-stream;q=",
        "application/json, text/event-stream;q=0.1.2",
        "application/json, text /event-stream",
        "application/json, */event-stream",
        "application/json, text/event-stream/x",
        "application/json, t\u{e9}xt/event-stream",
    ] {
        assert_eq!(accept(&[value]), JSON, "{value}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..4)) {
        Accept::read(values.iter().map(Vec::as_slice));
    }

    #[test]
    fn a_type_that_stands_alone_in_the_list_is_accepted(
        before in "[a-z]{1,5}/[a-z]{1,5}",
        parameter in "[a-pr-z]{1,4}=[a-z0-9]{1,4}",
    ) {
        let (json, _) = accept(&[&format!("{before};{parameter}, application/json;{parameter}")]);
        prop_assert!(json);
    }
}

//! The trace context: what has the form of W3C, and what is passed over.

use diglot_proto::meta::TraceContext;
use serde_json::value::RawValue;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

#[test]
fn a_traceparent_is_taken_apart() {
    let context = TraceContext::new(PARENT).unwrap();
    assert_eq!(context.trace_id(), Some("0af7651916cd43dd8448eb211c80319c"));
    assert_eq!(context.parent_id(), Some("00f067aa0ba902b7"));
    assert!(context.is_sampled());
    assert!(!TraceContext::new(PARENT.replace("-01", "-02")).unwrap().is_sampled());
}

#[test]
fn a_traceparent_of_another_form_is_refused() {
    let bad = [
        "",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7",
        "00-0AF7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more",
        "00-0af7651916cd43dd8448eb211c80319g-00f067aa0ba902b7-01",
        " 00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\r\nX: y",
    ];
    for text in bad {
        assert!(TraceContext::new(text).is_err(), "{text}");
    }
    assert!(TraceContext::new(format!("{}-more", PARENT.replacen("00", "01", 1))).is_ok());
}

#[test]
fn state_and_baggage_are_lists_of_pairs() {
    let context = || TraceContext::new(PARENT).unwrap();
    for good in ["a=1", "rojo=00f0, congo@x=t61 r,", "0tenant@vendor=*/"] {
        assert!(context().with_tracestate(good).is_ok(), "{good}");
    }
    let many = (0..33).map(|at| format!("k{at}=1")).collect::<Vec<_>>().join(",");
    for bad in ["", "a", "A=1", "a=", "a=1=2", "a=\u{7f}", "@a=1", many.as_str()] {
        assert!(context().with_tracestate(bad).is_err(), "{bad}");
    }
    for good in ["user=alice", "a = 1;ttl=3;public , b=", "k=%20x"] {
        assert!(context().with_baggage(good).is_ok(), "{good}");
    }
    let long = format!("a={}", "x".repeat(8192));
    for bad in ["", "a", "a b=1", "a=\"q\"", "a=1,", "a=1;=2", "a=é", long.as_str()] {
        assert!(context().with_baggage(bad).is_err(), "{bad}");
    }
}

#[test]
fn what_a_peer_sends_is_read_as_far_as_it_is_right() {
    let read = |text: &str| TraceContext::read(&RawValue::from_string(text.to_owned()).unwrap());
    let whole = read(&format!(r#"{{"traceparent":"{PARENT}","tracestate":"a=1","baggage":"b=2","x":1}}"#));
    let parts = (whole.traceparent(), whole.tracestate(), whole.baggage());
    assert_eq!(parts, (Some(PARENT), Some("a=1"), Some("b=2")));
    let half = read(r#"{"traceparent":"nonsense","tracestate":"a=1","baggage":"b=2"}"#);
    assert_eq!((half.traceparent(), half.tracestate(), half.baggage()), (None, None, Some("b=2")));
    for nothing in ["{}", "null", "[]", r#"{"traceparent":7,"baggage":null}"#] {
        assert!(read(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn the_entries_are_read_back_as_they_were() {
    let context = TraceContext::new(PARENT).unwrap().with_baggage("a=%22;p").unwrap();
    let entries = context.entries();
    let texts = entries.iter().map(|(key, raw)| (*key, serde_json::from_str::<String>(raw.get()).unwrap()));
    assert_eq!(TraceContext::from_entries(texts), context);
}

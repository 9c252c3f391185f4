//! Event streams that are too much: what is left of an event over the limit, and floods.

use diglot_proto::http::sse::SseReader;

use super::{drain, event, message, outcome, too_long};

#[test]
fn an_event_of_just_the_limit_is_read() {
    assert_eq!(outcome(13, [&b"id: 1\ndata: ab\n\n"[..]]).items, [event("message", "ab", Some("1"))]);
    assert_eq!(outcome(12, [&b"id: 1\ndata: ab\n\n"[..]]).items, [too_long(13, "ab")]);
}

#[test]
fn an_event_over_the_limit_is_reported_once_and_the_next_one_is_read() {
    let stream = b"event: a\nid: 1\ndata: bc\ndata: de\nid: 2\n\ndata: f\n\n";
    let expected = [too_long(34, "bc\nde"), event("message", "f", Some("2"))];
    assert_eq!(outcome(20, [&stream[..]]).items, expected);
    assert_eq!(outcome(20, stream.chunks(1)).items, expected);
}

#[test]
fn an_event_over_the_limit_is_reported_even_without_data() {
    assert_eq!(outcome(5, [&b"unknown\n\n"[..]]).items, [too_long(7, "")]);
}

#[test]
fn a_never_ending_line_is_counted_and_its_data_begins_the_prefix() {
    let mut stream = b"data: ".to_vec();
    stream.resize(100_006, b'x');
    stream.extend_from_slice(b"\nid: 9\n\n");
    for size in [1, 100, 521, 522, 4096, stream.len()] {
        let outcome = outcome(50, stream.chunks(size));
        assert_eq!(outcome.items, [too_long(100_011, &"x".repeat(512))], "in chunks of {size}");
        assert_eq!(outcome.last_event_id.as_deref(), Some("9"), "in chunks of {size}");
    }
}

#[test]
fn the_prefix_is_cut_between_characters() {
    for count in 509..512 {
        let data = "x".repeat(count);
        let stream = format!("data: {data}😀y\n\n");
        let expected = [too_long(stream.len() - 2, &data)];
        assert_eq!(outcome(50, [stream.as_bytes()]).items, expected);
    }
}

#[test]
fn a_field_that_was_cut_short_is_ignored() {
    let zeros = "0".repeat(600);
    let stream = format!("data: {zeros}\nretry: {zeros}5\nid: {zeros}5\n\n");
    for size in [1, 600, stream.len()] {
        let outcome = outcome(50, stream.as_bytes().chunks(size));
        assert_eq!((outcome.last_event_id, outcome.retry_ms), (None, None));
    }
}

#[test]
fn a_line_of_just_the_limit_is_kept_until_its_end() {
    let data = "x".repeat(994);
    let line = format!("data: {data}");
    let outcome = outcome(1000, [line.as_bytes(), b"\n\n"]);
    assert_eq!(outcome.items, [message(&data)]);
}

#[test]
fn comments_count_against_no_limit() {
    let comment = format!(":{}\n", "x".repeat(9_999));
    let stream = format!("{comment}data: a\n{comment}data: b\n{comment}\n");
    for size in [7, 999, stream.len()] {
        assert_eq!(
            outcome(20, stream.as_bytes().chunks(size)).items,
            [message("a\nb")],
            "in chunks of {size}"
        );
    }
}

#[test]
fn a_flood_without_events_in_one_chunk_is_read_through() {
    for line in [":\n", "\n", "\r", "event: a\n\n", "id: 1\n\n", "unknown\n\n"] {
        let flood = line.repeat(30_000);
        let mut reader = SseReader::new(99);
        reader.push(flood.as_bytes());
        assert_eq!(reader.next_event(), None, "{line:?}");
    }
}

#[test]
fn queued_events_are_read_one_at_a_time() {
    let mut reader = SseReader::new(99);
    reader.push(&b"id: 1\ndata: a\n\nretry: 5\nid: 2\ndata: b\n\n".repeat(30_000));
    assert!(reader.next_event().is_some());
    assert_eq!((reader.last_event_id(), reader.retry_ms()), (Some("1"), None));
    assert_eq!(drain(&mut reader).len(), 59_999);
}

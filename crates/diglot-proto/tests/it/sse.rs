//! Event streams: the examples and rules of the WHATWG standard.

use diglot_proto::http::sse::{SseItem, SseReader};

mod limit;
mod model;

/// An item by value.
#[derive(Debug, PartialEq)]
enum Seen {
    Event { event: String, data: String, id: Option<String> },
    TooLong { length: usize, prefix: String },
}

/// All that a stream leaves behind.
#[derive(Debug, PartialEq)]
struct Outcome {
    items: Vec<Seen>,
    last_event_id: Option<String>,
    retry_ms: Option<u64>,
}

fn event(event: &str, data: &str, id: Option<&str>) -> Seen {
    Seen::Event { event: event.to_owned(), data: data.to_owned(), id: id.map(str::to_owned) }
}

fn message(data: &str) -> Seen {
    event("message", data, None)
}

fn too_long(length: usize, prefix: &str) -> Seen {
    Seen::TooLong { length, prefix: prefix.to_owned() }
}

fn drain(reader: &mut SseReader) -> Vec<Seen> {
    std::iter::from_fn(|| reader.next_event())
        .map(|item| match item {
            SseItem::Event(found) => event(&found.event, &found.data, found.id.as_deref()),
            SseItem::TooLong { length, prefix } => Seen::TooLong { length, prefix },
            other => unreachable!("{other:?}"),
        })
        .collect()
}

fn outcome<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::new(limit);
    let mut items = Vec::new();
    for chunk in chunks {
        reader.push(chunk);
        items.extend(drain(&mut reader));
    }
    Outcome { items, last_event_id: reader.last_event_id().map(str::to_owned), retry_ms: reader.retry_ms() }
}

fn read(stream: impl AsRef<[u8]>) -> Vec<Seen> {
    outcome(usize::MAX, [stream.as_ref()]).items
}

fn last_event_id(stream: &str) -> Option<String> {
    outcome(usize::MAX, [stream.as_bytes()]).last_event_id
}

fn retry_ms(stream: &str) -> Option<u64> {
    outcome(usize::MAX, [stream.as_bytes()]).retry_ms
}

#[test]
fn the_standards_example_of_three_lines_is_one_message() {
    assert_eq!(read("data: YHOO\ndata: +2\ndata: 10\n\n"), [message("YHOO\n+2\n10")]);
}

#[test]
fn the_standards_example_of_four_blocks_gives_three_messages() {
    let stream =
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
    let expected =
        [event("message", "first event", Some("1")), message("second event"), message(" third event")];
    assert_eq!(read(stream), expected);
    assert_eq!(last_event_id(stream), None);
}

#[test]
fn the_standards_example_of_empty_data_gives_two_messages() {
    assert_eq!(read("data\n\ndata\ndata\n\ndata:"), [message(""), message("\n")]);
}

#[test]
fn the_standards_example_of_spaces_gives_two_equal_messages() {
    assert_eq!(read("data:test\n\ndata: test\n\n"), [message("test"), message("test")]);
}

#[test]
fn the_standards_example_of_named_events_keeps_their_names() {
    let stream = "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n";
    let expected =
        [event("add", "73857293", None), event("remove", "2153", None), event("add", "113411", None)];
    assert_eq!(read(stream), expected);
}

#[test]
fn lines_end_with_cr_lf_or_both() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = ["event: a", "data: b", "", "data: c", "", ""].join(end);
        assert_eq!(read(&stream), [event("a", "b", None), message("c")], "with {end:?}");
    }
    assert_eq!(read("data: a\r\rdata: b\n\r\ndata: c\r\n\rdata: d\n\n"), ["a", "b", "c", "d"].map(message));
}

#[test]
fn a_cr_at_the_end_of_a_chunk_dispatches_at_once() {
    let mut reader = SseReader::new(99);
    reader.push(b"data: a\r\n\r");
    assert_eq!(drain(&mut reader), [message("a")]);
    reader.push(b"\ndata: b\r");
    assert_eq!(drain(&mut reader), []);
    reader.push(b"\n");
    assert_eq!(drain(&mut reader), []);
    reader.push(b"\r\n");
    assert_eq!(drain(&mut reader), [message("b")]);
}

#[test]
fn one_byte_order_mark_is_stripped_from_the_start_of_the_stream() {
    assert_eq!(read("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n"), [message("a")]);
    assert_eq!(read("\u{FEFF}\u{FEFF}data: a\n\n"), []);
    assert_eq!(outcome(99, "\u{FEFF}data: a\n\n".as_bytes().chunks(1)).items, [message("a")]);
    assert_eq!(outcome(99, [&b"\xEF\xBB"[..], b"\ndata: a\n\n"]).items, [message("a")]);
}

#[test]
fn comments_and_unknown_fields_are_ignored() {
    assert_eq!(
        read(":\n: data: no\n\ndata: a\n:data: no\nfoo: bar\nData: no\n data: no\ndata : no\n\n"),
        [message("a")]
    );
}

#[test]
fn only_one_space_is_taken_from_a_value() {
    assert_eq!(read("data:  a \n\ndata:\tb\n\ndata::c: d\n\n"), [" a ", "\tb", ":c: d"].map(message));
}

#[test]
fn an_event_without_data_is_not_dispatched_and_forgets_its_name() {
    assert_eq!(read("event: lost\n\ndata: a\n\n\n\n"), [message("a")]);
}

#[test]
fn an_empty_name_is_message_and_the_last_name_wins() {
    assert_eq!(
        read("event: a\nevent: b\ndata\n\nevent: a\nevent\ndata\n\n"),
        [event("b", "", None), message("")]
    );
}

#[test]
fn an_event_that_the_end_cuts_off_is_discarded_with_its_id() {
    let stream = "id: 1\ndata: a\n\nid: 2\ndata: b\n";
    assert_eq!(read(stream), [event("message", "a", Some("1"))]);
    assert_eq!(last_event_id(stream).as_deref(), Some("1"));
}

#[test]
fn a_reader_knows_whether_the_end_would_cut_an_event_off() {
    let table = [
        ("", false),
        ("data: a\n\n", false),
        ("data: a\r\n\r\n", false),
        (": a comment", false),
        ("event: a\nid: 1\n", false),
        ("data: a\n", true),
        ("data: a", true),
        ("data: a\n\nda", true),
        ("data: a\n: a comment\n", true),
    ];
    for (stream, expected) in table {
        let mut reader = SseReader::new(100);
        reader.push(stream.as_bytes());
        while reader.next_event().is_some() {}
        assert_eq!(reader.is_within_event(), expected, "{stream:?}");
    }
}

#[test]
fn an_id_persists_until_another_or_an_empty_one() {
    let stream = "id: 1\ndata: a\n\ndata: b\n\nid:\ndata: c\n\n";
    let expected = [event("message", "a", Some("1")), event("message", "b", Some("1")), message("c")];
    assert_eq!(read(stream), expected);
}

#[test]
fn an_id_counts_at_the_blank_line_even_without_data() {
    assert_eq!(last_event_id("id: 1\n"), None);
    assert_eq!(last_event_id("id: 1\n\n").as_deref(), Some("1"));
    assert_eq!(last_event_id("id: 1\nid: 2\n\n").as_deref(), Some("2"));
}

#[test]
fn an_id_with_nul_is_ignored() {
    assert_eq!(last_event_id("id: 1\n\nid: 2\0\n\n").as_deref(), Some("1"));
}

#[test]
fn an_id_too_long_to_send_back_is_ignored() {
    let id = "x".repeat(4096);
    assert_eq!(last_event_id(&format!("id: {id}\n\n")), Some(id.clone()));
    assert_eq!(last_event_id(&format!("id: 1\n\nid: {id}x\n\n")).as_deref(), Some("1"));
}

#[test]
fn retry_takes_ascii_digits_only_and_at_once() {
    assert_eq!(retry_ms("retry: 1500\n"), Some(1500));
    assert_eq!(retry_ms("retry: 007\n"), Some(7));
    for ignored in ["", " ", "-1", "+1", "1.5", "1 ", "0x10", "1e3", "\u{0663}"] {
        assert_eq!(retry_ms(&format!("retry: 10\nretry: {ignored}\n")), Some(10), "{ignored:?}");
    }
}

#[test]
fn a_huge_retry_saturates() {
    assert_eq!(retry_ms("retry: 18446744073709551615\n"), Some(u64::MAX));
    assert_eq!(retry_ms("retry: 18446744073709551616\n"), Some(u64::MAX));
    assert_eq!(retry_ms(&format!("retry: {}\n", "9".repeat(400))), Some(u64::MAX));
}

#[test]
fn what_is_not_utf_8_becomes_a_replacement_character() {
    assert_eq!(
        read(b"event: \xFF\ndata: a\xE2\x82\ndata: b\xC3\n\n"),
        [event("\u{FFFD}", "a\u{FFFD}\nb\u{FFFD}", None)]
    );
}

#[test]
fn a_character_may_be_cut_by_chunks() {
    assert_eq!(outcome(99, "data: €😀\n\n".as_bytes().chunks(1)).items, [message("€😀")]);
}

#[test]
fn every_byte_is_seen_even_of_comments() {
    let mut reader = SseReader::new(99);
    assert_eq!(reader.bytes_seen(), 0);
    reader.push(b": keep-alive\n");
    assert_eq!(reader.next_event(), None);
    assert_eq!(reader.bytes_seen(), 13);
}

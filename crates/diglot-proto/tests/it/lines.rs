//! Newline framing: what a line is, what becomes of a line that is too long, and that cuts do not matter.

use diglot_proto::lines::{Line, LineReader};
use proptest::collection::vec;
use proptest::prelude::*;

/// A line that outlives its reader's next step.
#[derive(Debug, PartialEq)]
enum Owned {
    Text(String),
    TooLong(usize, Vec<u8>),
}

fn text(text: &str) -> Owned {
    Owned::Text(text.to_owned())
}

fn owned(line: Line<'_>) -> Owned {
    match line {
        Line::Text(text) => Owned::Text(text.escape_ascii().to_string()),
        Line::TooLong { length, prefix } => Owned::TooLong(length, prefix.to_vec()),
        other => unreachable!("{other:?}"),
    }
}

fn drain(reader: &mut LineReader) -> Vec<Owned> {
    let mut lines = Vec::new();
    while let Some(line) = reader.next_line() {
        lines.push(owned(line));
    }
    lines
}

fn read<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut reader = LineReader::new(limit);
    let mut lines = Vec::new();
    for chunk in chunks {
        reader.push(chunk);
        lines.extend(drain(&mut reader));
    }
    lines.extend(reader.finish().map(owned));
    assert_eq!(reader.finish(), None, "a stream ends once");
    lines
}

fn read_whole(limit: usize, stream: &[u8]) -> Vec<Owned> {
    read(limit, [stream])
}

/// Cuts `stream` into pieces of these sizes, over and over.
pub(crate) fn pieces<'a>(mut stream: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for size in sizes.iter().cycle() {
        if stream.is_empty() {
            break;
        }
        let (piece, rest) = stream.split_at((*size).min(stream.len()));
        pieces.push(piece);
        stream = rest;
    }
    pieces
}

#[test]
fn lines_end_with_lf_and_lose_one_cr() {
    assert_eq!(read_whole(99, b"one\ntwo\r\nthree\r\r\n"), [text("one"), text("two"), text("three\\r")]);
}

#[test]
fn a_cr_alone_ends_no_line() {
    assert_eq!(read_whole(99, b"one\rtwo\n"), [text("one\\rtwo")]);
}

#[test]
fn a_line_is_returned_as_soon_as_its_end_has_come() {
    let mut reader = LineReader::new(99);
    reader.push(b"on");
    assert_eq!(reader.next_line(), None);
    reader.push(b"e\ntwo");
    assert_eq!(reader.next_line(), Some(Line::Text(b"one")));
    assert_eq!(reader.next_line(), None);
}

#[test]
fn the_last_line_may_lack_its_end() {
    assert_eq!(read_whole(99, b"one\ntwo"), [text("one"), text("two")]);
    assert_eq!(read_whole(99, b"one\ntwo\r"), [text("one"), text("two")]);
    assert_eq!(read_whole(99, b"one\n  "), [text("one")]);
}

#[test]
fn finish_returns_whole_lines_before_the_last_one() {
    let mut reader = LineReader::new(99);
    reader.push(b"one\n\ntwo");
    assert_eq!(reader.finish(), Some(Line::Text(b"one")));
    assert_eq!(reader.finish(), Some(Line::Text(b"two")));
    assert_eq!(reader.finish(), None);
}

#[test]
fn one_byte_order_mark_is_stripped_from_the_start_of_any_line() {
    assert_eq!(read_whole(99, b"\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\r\n"), [text("one"), text("two")]);
    assert_eq!(read_whole(99, b"\xEF\xBB\xBF\xEF\xBB\xBFone\n"), [text("\\xef\\xbb\\xbfone")]);
    assert_eq!(read_whole(99, b"one\xEF\xBB\xBF\n"), [text("one\\xef\\xbb\\xbf")]);
}

#[test]
fn blank_lines_are_skipped() {
    assert_eq!(read_whole(99, b"\n\r\n \t \n\xEF\xBB\xBF\n\xEF\xBB\xBF \r\none\n\n"), [text("one")]);
    assert_eq!(read_whole(99, b""), []);
    assert_eq!(read_whole(99, b"\xEF\xBB\xBF"), []);
}

#[test]
fn the_space_around_a_text_is_part_of_it() {
    assert_eq!(read_whole(99, b" one \n"), [text(" one ")]);
}

#[test]
fn a_line_of_just_the_limit_is_read() {
    assert_eq!(read_whole(4, b"four\n"), [text("four")]);
    assert_eq!(read_whole(4, b"4444"), [text("4444")]);
    let line = "x".repeat(1000);
    assert_eq!(read(1000, [line.as_bytes(), b"\n"]), [text(&line)]);
}

#[test]
fn a_line_over_the_limit_is_reported_once_and_the_next_one_is_read() {
    let too_long = || Owned::TooLong(5, b"fives".to_vec());
    assert_eq!(read_whole(4, b"fives\nfour\n"), [too_long(), text("four")]);
    assert_eq!(read_whole(4, b"four\nfives"), [text("four"), too_long()]);
    assert_eq!(read(4, [&b"fiv"[..], b"e", b"s", b"\n", b"four\n"]), [too_long(), text("four")]);
}

#[test]
fn a_line_over_the_limit_is_reported_only_at_its_end() {
    let mut reader = LineReader::new(4);
    for _ in 0..3 {
        reader.push(b"never ending");
        assert_eq!(reader.next_line(), None);
    }
    reader.push(b"\n");
    assert_eq!(drain(&mut reader), [Owned::TooLong(36, b"never endingnever endingnever ending".to_vec())]);
}

#[test]
fn the_prefix_has_at_most_512_bytes_however_the_line_was_cut() {
    let line = vec![b'x'; 10_000];
    let expected = [Owned::TooLong(10_000, vec![b'x'; 512])];
    for size in [1, 7, 511, 512, 513, 10_000] {
        assert_eq!(read(100, line.chunks(size)), expected, "in chunks of {size}");
        assert_eq!(read(1000, line.chunks(size)), expected, "in chunks of {size}");
    }
}

#[test]
fn the_prefix_begins_after_a_byte_order_mark() {
    assert_eq!(read_whole(4, b"\xEF\xBB\xBF{}..\n"), [Owned::TooLong(7, b"{}..".to_vec())]);
}

#[test]
fn a_line_over_the_limit_is_reported_even_if_it_seems_blank() {
    assert_eq!(read_whole(4, b"     \n"), [Owned::TooLong(5, b"     ".to_vec())]);
}

#[test]
fn text_that_is_not_utf_8_passes_untouched() {
    assert_eq!(read_whole(99, b"\xFF\x00\n"), [text("\\xff\\x00")]);
}

#[test]
fn a_flood_of_empty_lines_in_one_chunk_is_read_through() {
    let mut flood = vec![b'\n'; 300_000];
    flood.extend_from_slice(b"one\n");
    assert_eq!(read_whole(99, &flood), [text("one")]);
}

#[test]
fn a_long_line_that_comes_byte_by_byte_is_searched_only_once() {
    // Quadratic reading would take long.
    let mut reader = LineReader::new(usize::MAX);
    for _ in 0..300_000 {
        reader.push(b"x");
        assert_eq!(reader.next_line(), None);
    }
    assert!(matches!(reader.finish(), Some(Line::Text(text)) if text.len() == 300_000));
}

#[test]
fn many_lines_in_one_chunk_are_not_moved_for_each() {
    let flood = b"line\n".repeat(100_000);
    assert_eq!(read_whole(99, &flood).len(), 100_000);
}

/// Bytes in which everything that framing looks at is frequent.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => Just(b"\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\xEF".to_vec()),
        2 => vec(any::<u8>(), 0..12),
        1 => (any::<u8>(), 500..600usize).prop_map(|(byte, count)| vec![byte; count]),
    ];
    vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

/// The rules once more, for a stream that is all there.
fn reference(limit: usize, stream: &[u8]) -> Vec<Owned> {
    let mut lines = Vec::new();
    for line in stream.split(|byte| *byte == b'\n') {
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.len() > limit {
            let prefix = line.get(..512).unwrap_or(line);
            let prefix = prefix.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(prefix);
            lines.push(Owned::TooLong(line.len(), prefix.to_vec()));
        } else if !text.trim_ascii().is_empty() {
            lines.push(owned(Line::Text(text.strip_suffix(b"\r").unwrap_or(text))));
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cuts_give_the_lines_of_the_whole(
        stream in streams(),
        sizes in vec(1..40usize, 1..8),
        limit in prop_oneof![0..20usize, 500..600usize, Just(usize::MAX)],
    ) {
        let expected = reference(limit, &stream);
        prop_assert_eq!(&read_whole(limit, &stream), &expected);
        prop_assert_eq!(&read(limit, pieces(&stream, &sizes)), &expected);
    }
}

//! The standard once more, written for a stream that is all there, and the reader held against it.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Outcome, event, outcome, too_long};
use crate::lines::pieces;

/// Streams in which everything that the reader looks at is frequent.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let word = |word: &'static str| Just(word.as_bytes().to_vec());
    let field = prop_oneof![
        4 => word("data"),
        2 => word("id"),
        2 => word("event"),
        1 => word("retry"),
        1 => word("other"),
        1 => word(""),
    ];
    let colon = prop_oneof![word(": "), word(":"), word("")];
    let token = prop_oneof![
        3 => word("\n"),
        2 => word("\r"),
        2 => word("\r\n"),
        2 => word("\n\n"),
        6 => (field, colon).prop_map(|(name, colon)| [name, colon].concat()),
        3 => prop_oneof![word("12"), word("é€😀"), word(" "), word("\0"), word("\u{FEFF}")],
        1 => vec(any::<u8>(), 0..8),
        1 => (500..530usize).prop_map(|count| vec![b'x'; count]),
    ];
    vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

/// The standard once more, for a stream that is all there and has no id worth ignoring for its length.
fn reference(limit: usize, stream: &[u8]) -> Outcome {
    let stream = stream.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(stream);
    let (mut data, mut name, mut id, mut length) = (String::new(), String::new(), String::new(), 0);
    let mut outcome = Outcome { items: Vec::new(), last_event_id: None, retry_ms: None };
    for raw in whole_lines(stream) {
        let line = String::from_utf8_lossy(&raw).into_owned();
        if line.is_empty() {
            outcome.last_event_id = Some(id.clone()).filter(|id| !id.is_empty());
            if length > limit {
                let data = data.strip_suffix('\n').unwrap_or(&data);
                outcome.items.push(too_long(length, &data[..data.floor_char_boundary(512)]));
            } else if let Some(data) = data.strip_suffix('\n') {
                let name = if name.is_empty() { "message" } else { &name };
                outcome.items.push(event(name, data, outcome.last_event_id.as_deref()));
            }
            (data, name, length) = (String::new(), String::new(), 0);
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if line.starts_with(':') {
            continue;
        }
        length += raw.len();
        match field {
            // A line cut short leaves only data behind.
            "id" | "retry" if length > limit && raw.len() > 521 => {}
            "event" => name = value.to_owned(),
            "data" => data = data + value + "\n",
            "id" if !value.contains('\0') && value.len() <= 4096 => id = value.to_owned(),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                outcome.retry_ms = Some(value.parse().unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
    outcome
}

fn whole_lines(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    let mut previous = 0;
    for &byte in stream {
        match byte {
            b'\n' if previous == b'\r' => {}
            b'\r' | b'\n' => lines.push(Vec::new()),
            _ => lines.last_mut().expect("there is a line under way").push(byte),
        }
        previous = byte;
    }
    lines.pop();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cuts_give_what_the_standard_says_of_the_whole(
        stream in streams(),
        sizes in vec(1..40usize, 1..8),
        limit in prop_oneof![0..40usize, 500..600usize, Just(usize::MAX)],
    ) {
        let expected = reference(limit, &stream);
        prop_assert_eq!(&outcome(limit, [stream.as_slice()]), &expected);
        prop_assert_eq!(&outcome(limit, pieces(&stream, &sizes)), &expected);
    }
}

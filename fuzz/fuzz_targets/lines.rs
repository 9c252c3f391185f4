//! Newline framing gives the same lines however the stream is cut.

#![no_main]

use diglot_fuzz::Cuts;
use diglot_proto::lines::{Line, LineReader};
use libfuzzer_sys::fuzz_target;

fn read<'a>(limit: usize, chunks: impl Iterator<Item = &'a [u8]>) -> Vec<(Option<usize>, Vec<u8>)> {
    let mut reader = LineReader::new(limit);
    let mut lines = Vec::new();
    let mut keep = |line: Line<'_>| match line {
        Line::Text(text) => {
            assert!(!text.is_empty() && text.len() <= limit && !text.contains(&b'\n'));
            lines.push((None, text.to_vec()));
        }
        Line::TooLong { length, prefix } => {
            assert!(length > limit && prefix.len() <= length.min(512));
            lines.push((Some(length), prefix.to_vec()));
        }
        _ => unreachable!(),
    };
    for chunk in chunks {
        reader.push(chunk);
        while let Some(line) = reader.next_line() {
            keep(line);
        }
    }
    while let Some(line) = reader.finish() {
        keep(line);
    }
    lines
}

fuzz_target!(|cuts: Cuts<'_>| {
    let limit = usize::from(cuts.limit);
    let whole = read(limit, [cuts.stream].into_iter());
    assert_eq!(read(limit, cuts.pieces()), whole);
    assert_eq!(read(limit, cuts.stream.chunks(1)), whole);
});

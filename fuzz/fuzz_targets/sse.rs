//! An event stream gives the same events however it is cut.

#![no_main]

use diglot_fuzz::Cuts;
use diglot_proto::http::sse::{SseItem, SseReader};
use libfuzzer_sys::fuzz_target;

type Outcome = (Vec<SseItem>, Option<String>, Option<u64>, u64);

fn read<'a>(limit: usize, chunks: impl Iterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::new(limit);
    let mut items = Vec::new();
    for chunk in chunks {
        reader.push(chunk);
        items.extend(std::iter::from_fn(|| reader.next_event()));
    }
    for item in &items {
        match item {
            // Where bytes are no UTF-8, each may become the three of U+FFFD.
            SseItem::Event(event) => {
                assert!(event.data.len() <= 3 * limit && !event.event.is_empty())
            }
            SseItem::TooLong { length, prefix } => assert!(*length > limit && prefix.len() <= 512),
            _ => unreachable!(),
        }
    }
    (
        items,
        reader.last_event_id().map(str::to_owned),
        reader.retry_ms(),
        reader.bytes_seen(),
    )
}

fuzz_target!(|cuts: Cuts<'_>| {
    let limit = usize::from(cuts.limit);
    let whole = read(limit, [cuts.stream].into_iter());
    assert_eq!(read(limit, cuts.pieces()), whole);
    assert_eq!(read(limit, cuts.stream.chunks(1)), whole);
});

//! Mends what would make later decoding fail: broken UTF-8 and lone surrogates.
//!
//! A message that needs no mending is not copied; the search for escapes skips through the text by vector instructions.

use std::borrow::Cow;

use memchr::memmem;

/// Returns the text with invalid UTF-8 as U+FFFD and lone surrogate escapes as `\ufffd`.
pub(super) fn readable(text: &[u8]) -> Cow<'_, str> {
    // Lossy conversion alone gives the same and takes a byte at a time even where nothing is lost.
    let mut text = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    let lone = lone_surrogates(&text);
    if !lone.is_empty() {
        let mut mended = String::with_capacity(text.len());
        let mut done = 0;
        for at in lone {
            mended.push_str(text.get(done..at).unwrap_or_default());
            mended.push_str("\\ufffd");
            done = at + ESCAPE;
        }
        mended.push_str(text.get(done..).unwrap_or_default());
        text = Cow::Owned(mended);
    }
    text
}

/// The length of `\ud800`.
const ESCAPE: usize = 6;

/// Finds the offsets of surrogate escapes that are not half of a pair.
fn lone_surrogates(text: &str) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut paired = None;
    for at in memmem::find_iter(text.as_bytes(), b"\\u") {
        if paired == Some(at) {
            continue;
        }
        let Some(surrogate) = surrogate(text, at) else {
            continue;
        };
        if is_escaped(text, at) {
            continue;
        }
        if surrogate == Surrogate::High && self::surrogate(text, at + ESCAPE) == Some(Surrogate::Low) {
            paired = Some(at + ESCAPE);
        } else {
            lone.push(at);
        }
    }
    lone
}

#[derive(PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

fn surrogate(text: &str, at: usize) -> Option<Surrogate> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    match digits.as_bytes() {
        [b'd' | b'D', kind, third, fourth] if third.is_ascii_hexdigit() && fourth.is_ascii_hexdigit() => {
            match kind {
                b'8' | b'9' | b'a' | b'A' | b'b' | b'B' => Some(Surrogate::High),
                b'c'..=b'f' | b'C'..=b'F' => Some(Surrogate::Low),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Says whether the backslash at this offset is itself escaped, as the second one of `\\u` is.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

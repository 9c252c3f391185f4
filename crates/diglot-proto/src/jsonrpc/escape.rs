//! Writes JSON strings.

use std::convert::Infallible;

/// Appends a JSON string.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    // Prose has an escape in every line or so.
    out.reserve(text.len() + text.len() / 32 + 2);
    out.push(b'"');
    let Ok(()) = escape(text, |piece| {
        out.extend_from_slice(piece.as_bytes());
        Ok::<(), Infallible>(())
    });
    out.push(b'"');
}

/// Hands over the inside of a JSON string piece by piece.
pub(super) fn escape<E>(text: &str, mut sink: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let mut rest = text;
    while let Some(at) = special(rest.as_bytes()) {
        let (plain, after) = rest.split_at(at);
        sink(plain)?;
        // What stops the search is ASCII, so one byte is one character.
        let (special, after) = after.split_at(1);
        match special {
            "\"" => sink("\\\"")?,
            "\\" => sink("\\\\")?,
            "\n" => sink("\\n")?,
            "\r" => sink("\\r")?,
            "\t" => sink("\\t")?,
            control => {
                let code = control.bytes().next().unwrap_or_default();
                let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
                sink("\\u00")?;
                sink(digit(code >> 4).encode_utf8(&mut [0; 4]))?;
                sink(digit(code & 0xf).encode_utf8(&mut [0; 4]))?;
            }
        }
        rest = after;
    }
    sink(rest)
}

/// Finds the first byte that cannot stand in a JSON string as it is: a quote, a backslash, a control character.
fn special(text: &[u8]) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    let in_words = words.iter().enumerate().find_map(|(at, word)| {
        let marks = marks(u64::from_le_bytes(*word));
        // The first byte of the text is the lowest one of the number.
        (marks != 0).then(|| at * 8 + marks.trailing_zeros() as usize / 8)
    });
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    in_words.or_else(|| rest.iter().position(is_special).map(|at| words.len() * 8 + at))
}

/// Sets the highest bit of the lowest special byte of eight; a borrow may set some above that one, and none below.
const fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    /// Marks the bytes that are less than a limit of at most 128.
    const fn below(word: u64, limit: u64) -> u64 {
        word.wrapping_sub(ONES * limit) & !word & HIGHEST
    }
    below(word, 0x20) | below(word ^ (ONES * b'"' as u64), 1) | below(word ^ (ONES * b'\\' as u64), 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{push_text, special};

    #[test]
    fn every_byte_is_found_at_every_place_and_only_where_it_is_special() {
        for byte in 0..=u8::MAX {
            for length in 1..20 {
                for at in 0..length {
                    let mut text = vec![b'\x7f'; length];
                    text[at] = byte;
                    let expected = (byte < 0x20 || byte == b'"' || byte == b'\\').then_some(at);
                    assert_eq!(special(&text), expected, "{byte:#x} at {at} of {length}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_text_reads_back(text in "(?s)[\\x00-\\x7f]{0,40}.{0,8}[\"\\\\\\x00-\\x20 é]{0,24}") {
            let mut out = Vec::new();
            push_text(&mut out, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}

//! Writes JSON strings.

use std::convert::Infallible;

/// Appends a JSON string.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
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
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
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

//! Walks over the top level of an object by bytes, also where the object is cut off or broken.
//!
//! `serde_json` does the reading of messages; this is for what it cannot do: to find the id in a broken message, to
//! know where a member stands so that text can be spliced in, and to measure depth.

use std::ops::Range;

use serde_json::value::RawValue;

use super::{Id, repair};

/// Finds the id of a message of which only a prefix is there, or which is broken.
///
/// Best effort: a top-level `id` that is an integer or a string and complete. A number must be followed by something,
/// because the next byte could be another digit.
pub fn recover_id(prefix: &[u8]) -> Option<Id> {
    skim(prefix).id
}

/// Holds what can be told about a message that cannot be read.
#[derive(Default)]
pub(super) struct Skim {
    pub(super) id: Option<Id>,
    pub(super) is_reply: bool,
}

pub(super) fn skim(text: &[u8]) -> Skim {
    let mut skim = Skim::default();
    for member in Members::new(text) {
        if member.key_is(text, "result") || member.key_is(text, "error") {
            skim.is_reply = true;
        } else if member.key_is(text, "id")
            && let Some(value) = member.value
        {
            skim.id = text.get(value).and_then(id);
        }
    }
    skim
}

fn id(token: &[u8]) -> Option<Id> {
    let token = repair::readable(token);
    let raw: &RawValue = serde_json::from_str(&token).ok()?;
    super::id::id(raw)
}

/// Says whether a JSON text nests deeper than so many arrays and objects.
pub(super) fn is_deeper(text: &[u8], limit: usize) -> bool {
    // Most messages have fewer brackets than the limit, in strings or out of them.
    if memchr::memchr2_iter(b'{', b'[', text).take(limit + 1).count() <= limit {
        return false;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => match string_end(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return false,
            },
            _ => {}
        }
        at += 1;
    }
    false
}

/// Locates one member of an object.
pub(crate) struct Member {
    /// The key, with its quotes.
    pub(crate) key: Range<usize>,
    /// The value, unless the text ends within it.
    pub(crate) value: Option<Range<usize>>,
}

impl Member {
    /// Compares the key with a word, whatever its escapes.
    pub(crate) fn key_is(&self, text: &[u8], word: &str) -> bool {
        let Some(key) = text.get(self.key.clone()) else {
            return false;
        };
        let plain = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\""));
        if plain == Some(word.as_bytes()) {
            return true;
        }
        // The comparison above settled the plain keys; an escape makes a key longer, never shorter.
        key.len() > word.len() + 2
            && memchr::memchr(b'\\', key).is_some()
            && serde_json::from_slice::<String>(key).is_ok_and(|key| key == word)
    }
}

/// Goes through the members of the object that a text begins with, as far as they can be made out.
pub(crate) struct Members<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Members<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let at = skip_space(text, start);
        match text.get(at) {
            Some(b'{') => Self { text, at: at + 1 },
            _ => Self { text, at: text.len() },
        }
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let text = self.text;
        let mut at = skip_space(text, self.at);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
        // Anything but a key, be it the end of the object or noise, ends the walk.
        self.at = text.len();
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let key = at..string_end(text, at)?;
        at = skip_space(text, key.end);
        if text.get(at) != Some(&b':') {
            return None;
        }
        at = skip_space(text, at + 1);
        let value = value_end(text, at).map(|end| at..end);
        if let Some(value) = &value {
            self.at = value.end;
        }
        Some(Member { key, value })
    }
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Returns the offset after the string that opens at this one, or `None` where it does not close.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        let rest = text.get(at..)?;
        let stop = memchr::memchr2(b'"', b'\\', rest)?;
        if rest.get(stop) == Some(&b'"') {
            return Some(at + stop + 1);
        }
        at += stop + 2;
    }
}

/// Returns the offset after the value that starts at this one, or `None` where the text may end within it.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => string_end(text, at),
        b'{' | b'[' => container_end(text, at),
        b',' | b'}' | b']' | b':' => None,
        _ => {
            let rest = text.get(at..)?;
            let length = rest
                .iter()
                .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))?;
            Some(at + length)
        }
    }
}

fn container_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    let mut depth = 0_usize;
    loop {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' => {
                at = string_end(text, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

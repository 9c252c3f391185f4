//! What a client accepts as an answer, by its `Accept` header.
//!
//! Of several ranges that fit, the most specific one decides (RFC 9110, section 12.5.1). A header that says nothing
//! readable is as good as none: many clients are careless here, and refusing them helps nobody.

/// Says which of the two media types of the transport a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Accept {
    /// Whether `application/json` is accepted.
    pub json: bool,
    /// Whether `text/event-stream` is accepted.
    pub event_stream: bool,
}

/// What nearly every client sends, so that it need not be taken apart.
const USUAL: &[&[u8]] =
    &[b"application/json, text/event-stream", b"text/event-stream, application/json", b"*/*"];

impl Accept {
    /// Reads the values of all `Accept` headers of a request.
    ///
    /// Parameters other than the weight are ignored, a weight of zero excludes, and what is no media range is skipped.
    /// Without any range both types are accepted.
    pub fn read<'h>(values: impl IntoIterator<Item = &'h [u8]>) -> Self {
        let mut values = values.into_iter();
        let (first, second) = (values.next(), values.next());
        if second.is_none() && first.is_some_and(|value| USUAL.contains(&value)) {
            return Self { json: true, event_stream: true };
        }
        let mut json = Best::default();
        let mut event_stream = Best::default();
        let mut is_empty = true;
        for range in first
            .into_iter()
            .chain(second)
            .chain(values)
            .flat_map(|value| Parts { rest: Some(value), at: b',' })
        {
            let Some(range) = Range::read(range) else { continue };
            is_empty = false;
            json.weigh(&range, b"application", b"json");
            event_stream.weigh(&range, b"text", b"event-stream");
        }
        Self { json: is_empty || json.accepted, event_stream: is_empty || event_stream.accepted }
    }
}

/// The most specific range so far that fits a type, and what it says.
#[derive(Default)]
struct Best {
    specificity: u8,
    accepted: bool,
}

impl Best {
    fn weigh(&mut self, range: &Range<'_>, kind: &[u8], subtype: &[u8]) {
        let specificity = match (range.kind, range.subtype) {
            (b"*", b"*") => 1,
            (own, b"*") if own.eq_ignore_ascii_case(kind) => 2,
            (own, sub) if own.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => 3,
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { specificity, accepted: range.accepted };
        } else if specificity == self.specificity {
            self.accepted |= range.accepted;
        }
    }
}

/// One media range.
struct Range<'h> {
    kind: &'h [u8],
    subtype: &'h [u8],
    accepted: bool,
}

impl<'h> Range<'h> {
    fn read(text: &'h [u8]) -> Option<Self> {
        let mut parts = Parts { rest: Some(text), at: b';' };
        let essence = parts.next()?.trim_ascii();
        let slash = essence.iter().position(|byte| *byte == b'/')?;
        let (kind, subtype) = (essence.get(..slash)?, essence.get(slash + 1..)?);
        let is_word =
            |word: &[u8]| !word.is_empty() && word.iter().all(|byte| super::headers::is_token_byte(*byte));
        // A star in place of the type alone, as in `*/json`, is no range.
        let is_range = is_word(kind) && is_word(subtype) && (kind != b"*" || subtype == b"*");
        let weight = parts.find_map(weight).unwrap_or(Some(true));
        is_range.then_some(Self { kind, subtype, accepted: weight? })
    }
}

/// Reads a parameter that is a weight: `Some(None)` if it is none that can be read, else whether it is above zero.
fn weight(parameter: &[u8]) -> Option<Option<bool>> {
    let parameter = parameter.trim_ascii();
    let at = parameter.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (parameter.get(..at)?.trim_ascii_end(), parameter.get(at + 1..)?.trim_ascii_start());
    if !name.eq_ignore_ascii_case(b"q") {
        return None;
    }
    let points = value.iter().filter(|byte| **byte == b'.').count();
    let is_number = value.first().is_some_and(u8::is_ascii_digit)
        && points <= 1
        && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    Some(is_number.then(|| value.iter().any(|byte| matches!(byte, b'1'..=b'9'))))
}

/// Cuts a text at a byte, except within a quoted string.
struct Parts<'h> {
    rest: Option<&'h [u8]>,
    at: u8,
}

impl<'h> Iterator for Parts<'h> {
    type Item = &'h [u8];

    fn next(&mut self) -> Option<&'h [u8]> {
        let text = self.rest.take()?;
        let mut in_quotes = false;
        let mut is_escaped = false;
        for (place, byte) in text.iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if in_quotes => is_escaped = true,
                b'"' => in_quotes = !in_quotes,
                byte if *byte == self.at && !in_quotes => {
                    self.rest = text.get(place + 1..);
                    return text.get(..place);
                }
                _ => {}
            }
        }
        Some(text)
    }
}

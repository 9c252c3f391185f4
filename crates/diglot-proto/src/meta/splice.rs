//! Puts entries into the `_meta` of parameters without reading the rest of them.

use std::fmt;
use std::ops::Range;

use serde_json::value::RawValue;

use super::PROGRESS_TOKEN;
use crate::jsonrpc::escape::push_text;
use crate::jsonrpc::scan::Members;
use crate::jsonrpc::{Id, peek, write};

/// Returns the parameters with these entries in their `_meta`, everything else byte for byte as it was.
///
/// An entry takes the place of one with the same key; other entries stay and keep their order. Without parameters, or
/// with `null`, there will be `{"_meta":{…}}`. The keys of `entries` must differ from each other.
///
/// # Errors
///
/// [`NoPlace`] if the parameters are no object, or their `_meta` is neither an object nor `null`.
pub fn with_meta(params: Option<&RawValue>, entries: &[(&str, &RawValue)]) -> Result<Box<RawValue>, NoPlace> {
    finish(Place::find(params)?, entries.iter().map(|(key, value)| (*key, Value::Raw(value))))
}

/// Returns the parameters with a progress token in their `_meta`, as [`with_meta`] does.
///
/// # Errors
///
/// [`NoPlace`] if the parameters or their `_meta` are no object.
pub fn with_progress_token(params: Option<&RawValue>, token: &Id) -> Result<Box<RawValue>, NoPlace> {
    finish(Place::find(params)?, [(PROGRESS_TOKEN, Value::Id(token))].into_iter())
}

/// Returns the entry that asks for progress notifications with a token, for [`with_meta`].
pub fn progress_token_entry(token: &Id) -> (&'static str, Box<RawValue>) {
    let mut out = Vec::with_capacity(write::length(token));
    write::push_id_token(&mut out, token);
    let text = String::from_utf8(out).unwrap_or_default();
    (PROGRESS_TOKEN, RawValue::from_string(text).expect("an id is written as JSON"))
}

/// Says why an entry cannot be put into parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoPlace {
    /// The parameters are JSON of another type.
    Params,
    /// The `_meta` of the parameters is JSON of another type.
    Meta,
}

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Params => "the parameters must be a JSON object",
            Self::Meta => "the `_meta` of the parameters must be a JSON object",
        })
    }
}

impl std::error::Error for NoPlace {}

pub(super) type Entry<'a> = (&'a str, Value<'a>);

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Raw(&'a RawValue),
    Text(&'a str),
    Id(&'a Id),
}

impl Value<'_> {
    fn push(self, out: &mut Vec<u8>) {
        match self {
            Value::Raw(raw) => out.extend_from_slice(raw.get().as_bytes()),
            Value::Text(text) => push_text(out, text),
            Value::Id(id) => write::push_id_token(out, id),
        }
    }

    fn room(self) -> usize {
        match self {
            Value::Raw(raw) => raw.get().len(),
            Value::Text(text) => text.len() + 2,
            Value::Id(id) => write::length(id),
        }
    }
}

/// Where the entries go: what stands before `_meta`, its text, and what stands after it.
pub(super) struct Place<'a> {
    before: &'a str,
    meta: &'a str,
    after: &'a str,
    /// Whether `_meta` has to be brought along; `after` then starts with the other members.
    is_new: bool,
}

impl<'a> Place<'a> {
    pub(super) fn find(params: Option<&'a RawValue>) -> Result<Self, NoPlace> {
        let text = params.filter(|params| !peek::is_null(params)).map_or("{}", RawValue::get);
        let members = text.strip_prefix('{').ok_or(NoPlace::Params)?;
        let bytes = text.as_bytes();
        // The last one counts for whoever reads the request.
        let meta = Members::new(bytes).filter(|member| member.key_is(bytes, "_meta")).last();
        let Some(Range { start, end }) = meta.and_then(|member| member.value) else {
            return Ok(Self { before: "{", meta: "{}", after: members, is_new: true });
        };
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        let meta = match part(start..end) {
            "null" => "{}",
            meta if meta.starts_with('{') => meta,
            _ => return Err(NoPlace::Meta),
        };
        Ok(Self { before: part(0..start), meta, after: part(end..text.len()), is_new: false })
    }

    /// Returns the length of the text that [`Place::splice`] makes, or a little more.
    pub(super) fn room<'e>(&self, entries: impl Iterator<Item = Entry<'e>>) -> usize {
        const NEW_KEY: usize = r#""_meta":,"#.len();
        const PUNCTUATION: usize = r#""":,"#.len();
        let entries: usize = entries.map(|(key, value)| key.len() + value.room() + PUNCTUATION).sum();
        self.before.len() + self.meta.len() + self.after.len() + NEW_KEY + entries
    }

    pub(super) fn splice<'e>(&self, out: &mut Vec<u8>, entries: impl Iterator<Item = Entry<'e>> + Clone) {
        out.extend_from_slice(self.before.as_bytes());
        if self.is_new {
            out.extend_from_slice(b"\"_meta\":");
        }
        self.splice_meta(out, entries);
        if self.is_new && !self.after.trim_ascii_start().starts_with('}') {
            out.push(b',');
        }
        out.extend_from_slice(self.after.as_bytes());
    }

    fn splice_meta<'e>(&self, out: &mut Vec<u8>, entries: impl Iterator<Item = Entry<'e>> + Clone) {
        let bytes = self.meta.as_bytes();
        let mut copied = 0;
        let mut is_empty = true;
        for member in Members::new(bytes) {
            is_empty = false;
            let new = entries.clone().find(|(key, _)| member.key_is(bytes, key));
            if let (Some((_, new)), Some(old)) = (new, member.value) {
                out.extend_from_slice(bytes.get(copied..old.start).unwrap_or_default());
                new.push(out);
                copied = old.end;
            }
        }
        let rest = bytes.get(copied..).unwrap_or_default();
        out.extend_from_slice(rest.strip_suffix(b"}").unwrap_or(rest));
        for (key, value) in entries {
            if Members::new(bytes).any(|member| member.key_is(bytes, key)) {
                continue;
            }
            if !std::mem::take(&mut is_empty) {
                out.push(b',');
            }
            push_text(out, key);
            out.push(b':');
            value.push(out);
        }
        out.push(b'}');
    }
}

pub(super) fn finish<'e>(
    place: Place<'_>,
    entries: impl Iterator<Item = Entry<'e>> + Clone,
) -> Result<Box<RawValue>, NoPlace> {
    let mut out = Vec::with_capacity(place.room(entries.clone()));
    place.splice(&mut out, entries);
    // Valid JSON put together by its grammar stays valid, so neither step can fail.
    let text = String::from_utf8(out).map_err(|_| NoPlace::Params)?;
    RawValue::from_string(text).map_err(|_| NoPlace::Params)
}

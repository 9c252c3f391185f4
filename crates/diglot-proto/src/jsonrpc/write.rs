//! Writes messages, each on one line.
//!
//! A raw value that a user hands in may have newlines between its tokens. They become spaces, so that a message can be
//! a line on a pipe and an event in a stream; inside a JSON string a raw newline cannot stand.

use std::io::Write;

use serde_json::value::RawValue;

use super::escape::push_text;
use super::{Id, RpcError, peek};

/// Writes a request; parameters that are `null` are left out.
pub fn write_request(id: &Id, method: &str, params: Option<&RawValue>) -> Vec<u8> {
    let mut out = head(length(id) + method.len() + params.map_or(0, raw_length));
    push_id(&mut out, id);
    push_call(&mut out, method, params);
    out
}

/// Writes a notification; parameters that are `null` are left out.
pub fn write_notification(method: &str, params: Option<&RawValue>) -> Vec<u8> {
    let mut out = head(method.len() + params.map_or(0, raw_length));
    push_call(&mut out, method, params);
    out
}

/// Writes a successful response.
pub fn write_result(id: &Id, result: &RawValue) -> Vec<u8> {
    let mut out = head(length(id) + raw_length(result));
    push_id(&mut out, id);
    out.extend_from_slice(b",\"result\":");
    push_raw(&mut out, result.get());
    out.push(b'}');
    out
}

/// Writes a response that is an error.
///
/// Without an id the member is left out, as the schemas since 2025-11-25 have it, where JSON-RPC 2.0 would say `null`.
pub fn write_error(id: Option<&Id>, error: &RpcError) -> Vec<u8> {
    let data = error.data.as_deref();
    let mut out = head(id.map_or(0, length) + error.message.len() + 48 + data.map_or(0, raw_length));
    if let Some(id) = id {
        push_id(&mut out, id);
    }
    out.extend_from_slice(b",\"error\":{\"code\":");
    push_number(&mut out, error.code);
    out.extend_from_slice(b",\"message\":");
    push_text(&mut out, &error.message);
    if let Some(data) = data {
        out.extend_from_slice(b",\"data\":");
        push_raw(&mut out, data.get());
    }
    out.extend_from_slice(b"}}");
    out
}

/// Opens a message, with room for what is not punctuation.
pub(crate) fn head(content: usize) -> Vec<u8> {
    const PUNCTUATION: usize = 64;
    let mut out = Vec::with_capacity(content + PUNCTUATION);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    out
}

pub(crate) fn push_id(out: &mut Vec<u8>, id: &Id) {
    out.extend_from_slice(b",\"id\":");
    push_id_token(out, id);
}

/// Appends the JSON token of an id.
pub(crate) fn push_id_token(out: &mut Vec<u8>, id: &Id) {
    match id {
        Id::Number(number) => push_number(out, *number),
        Id::Text(text) => push_text(out, text),
    }
}

fn push_call(out: &mut Vec<u8>, method: &str, params: Option<&RawValue>) {
    out.extend_from_slice(b",\"method\":");
    push_text(out, method);
    if let Some(params) = params.filter(|params| !peek::is_null(params)) {
        out.extend_from_slice(b",\"params\":");
        push_raw(out, params.get());
    }
    out.push(b'}');
}

/// Appends JSON with its raw newlines turned into spaces.
fn push_raw(out: &mut Vec<u8>, json: &str) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    flatten(out.get_mut(start..).unwrap_or_default());
}

/// Turns the raw newlines of JSON into spaces, so that it is one line on a pipe and one event in a stream.
///
/// Inside a JSON string a raw newline cannot stand, so that the value stays the same.
pub fn flatten(mut json: &mut [u8]) {
    while let Some(at) = memchr::memchr2(b'\n', b'\r', json) {
        let (line, after) = std::mem::take(&mut json).split_at_mut(at + 1);
        if let Some(newline) = line.last_mut() {
            *newline = b' ';
        }
        json = after;
    }
}

fn push_number(out: &mut Vec<u8>, number: i64) {
    // Writing into memory cannot fail.
    let _ = write!(out, "{number}");
}

/// Returns the room that an id takes if nothing in it is escaped.
pub(crate) fn length(id: &Id) -> usize {
    match id {
        Id::Number(_) => 20,
        Id::Text(text) => text.len() + 2,
    }
}

fn raw_length(raw: &RawValue) -> usize {
    raw.get().len()
}

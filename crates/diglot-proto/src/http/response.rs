//! What an HTTP response means: its status, its media type and its body, read together.
//!
//! A 2xx is trusted to be what its `Content-Type` says. Any other status is read for JSON-RPC whatever it says
//! it is, since servers label their errors carelessly.

use crate::http::headers::{is_event_stream, is_html, is_json};
use crate::jsonrpc::{self, Parsed};

/// How the body of a response is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Manner {
    /// As a stream of events.
    Stream,
    /// As a whole, up to the limit.
    Whole,
    /// By a look at its first bytes, since nothing says what it is; see [`sniff`].
    Unlabelled,
}

/// Tells how to read a body by its status and `Content-Type`.
pub fn manner(status: u16, content_type: Option<&str>) -> Manner {
    let is_success = (200..300).contains(&status);
    match content_type.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) if is_success && is_event_stream(text) => Manner::Stream,
        None if is_success => Manner::Unlabelled,
        _ => Manner::Whole,
    }
}

/// Tells how to read a body that nothing labels, by its first bytes.
pub fn sniff(start: &[u8]) -> Manner {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let is_field = |name: &str| start.starts_with(name.as_bytes());
    match ["data:", "event:", "id:", "retry:", ":"].into_iter().any(is_field) {
        true => Manner::Stream,
        false => Manner::Whole,
    }
}

/// A whole body, read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Body<'a> {
    /// JSON-RPC.
    Rpc(Parsed<'a>),
    /// Meant as JSON-RPC, and not readable as such.
    Unreadable(jsonrpc::Unreadable),
    /// JSON that is not JSON-RPC.
    OtherJson,
    /// An HTML page, with its title.
    WebPage(Option<String>),
    /// Other text or bytes.
    Text,
    /// Nothing.
    Empty,
}

/// Reads a whole body.
pub fn read<'a>(status: u16, content_type: Option<&str>, body: &'a [u8]) -> Body<'a> {
    if body.trim_ascii().is_empty() {
        return Body::Empty;
    }
    let is_success = (200..300).contains(&status);
    match content_type {
        Some(text) if is_success && is_html(text) => return Body::WebPage(page_title(body)),
        Some(text) if is_success && !is_json(text) => return text_or_page(body),
        _ => {}
    }
    let is_labelled = content_type.is_some_and(is_json);
    match jsonrpc::parse(body) {
        Ok(parsed) => Body::Rpc(parsed),
        Err(unreadable) => match unreadable.kind {
            jsonrpc::UnreadableKind::NotAMessage => Body::OtherJson,
            jsonrpc::UnreadableKind::NotJson if !is_labelled => text_or_page(body),
            jsonrpc::UnreadableKind::NotJson if unreadable.id.is_none() => Body::OtherJson,
            _ => Body::Unreadable(unreadable),
        },
    }
}

fn text_or_page(body: &[u8]) -> Body<'static> {
    let start = body.trim_ascii_start();
    let is_tag =
        |tag: &str| start.get(..tag.len()).is_some_and(|text| text.eq_ignore_ascii_case(tag.as_bytes()));
    match ["<!doctype", "<html", "<head", "<body", "<!--"].into_iter().any(is_tag) {
        true => Body::WebPage(page_title(body)),
        false => Body::Text,
    }
}

/// Finds the title of an HTML page, at most 120 characters of it, within the page's first 64 KiB.
pub fn page_title(page: &[u8]) -> Option<String> {
    let head = page.get(..64 * 1024).unwrap_or(page);
    let text = String::from_utf8_lossy(head);
    // Lower-casing ASCII only keeps the offsets of both texts the same.
    let lower = text.to_ascii_lowercase();
    let opened = lower.find("<title")?;
    let start = opened + lower.get(opened..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find('<')?;
    let words: Vec<&str> = text.get(start..end)?.split_whitespace().collect();
    let title: String = words.join(" ").chars().filter(|c| !c.is_control()).take(120).collect();
    (!title.is_empty()).then_some(title)
}

/// Makes the beginning of a body fit for an error or a trail: at most `limit` bytes, without control characters.
pub fn excerpt(body: &[u8], limit: usize) -> String {
    let cut = body.get(..limit).unwrap_or(body);
    let mut text: String =
        String::from_utf8_lossy(cut).trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if body.len() > limit {
        // A cut in the middle of a character leaves its replacement behind.
        text.truncate(text.trim_end_matches('\u{fffd}').len());
        text.push('…');
    }
    text
}

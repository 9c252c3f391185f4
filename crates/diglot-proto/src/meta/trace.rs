//! A trace context: the entries `traceparent`, `tracestate` and `baggage`, in the forms that W3C gives them.
//!
//! See "OpenTelemetry trace context" in the base protocol of revision 2026-07-28, W3C Trace Context, and W3C Baggage.

use std::fmt;

use serde_json::value::{RawValue, to_raw_value};

use super::{BAGGAGE, TRACEPARENT, TRACESTATE};
use crate::jsonrpc::peek;

/// The longest `tracestate` or `baggage`, in bytes: what W3C asks a propagator of baggage to carry at least.
const MOST_BYTES: usize = 8192;

/// The most members of a `tracestate`, by W3C Trace Context.
const MOST_STATES: usize = 32;

/// The most members of a `baggage`; W3C asks for 64 at least.
const MOST_BAGGAGE: usize = 180;

/// Holds the trace context of a request; each part has the form that W3C gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceContext {
    traceparent: Option<Box<str>>,
    tracestate: Option<Box<str>>,
    baggage: Option<Box<str>>,
}

impl TraceContext {
    /// Takes a `traceparent`: version, trace id, parent id and flags, in lower-case hex with hyphens between them.
    ///
    /// # Errors
    ///
    /// [`BadTraceContext`] if it has not that form, or an id is all zeros.
    pub fn new(traceparent: impl Into<String>) -> Result<Self, BadTraceContext> {
        let traceparent = checked(traceparent.into(), is_traceparent, TRACEPARENT)?;
        Ok(Self { traceparent: Some(traceparent), ..Self::default() })
    }

    /// Adds what vendors have to say, a `tracestate`.
    ///
    /// # Errors
    ///
    /// [`BadTraceContext`] if it is not a list of at most 32 pairs.
    pub fn with_tracestate(mut self, tracestate: impl Into<String>) -> Result<Self, BadTraceContext> {
        self.tracestate = Some(checked(tracestate.into(), is_tracestate, TRACESTATE)?);
        Ok(self)
    }

    /// Adds `baggage`.
    ///
    /// # Errors
    ///
    /// [`BadTraceContext`] if it is not a list of pairs, or longer than 8192 bytes.
    pub fn with_baggage(mut self, baggage: impl Into<String>) -> Result<Self, BadTraceContext> {
        self.baggage = Some(checked(baggage.into(), is_baggage, BAGGAGE)?);
        Ok(self)
    }

    /// Takes what a propagator wrote, by the names of the entries; whatever has another name or another form is passed
    /// over.
    ///
    /// A `tracestate` means nothing without a `traceparent`, and is dropped with it.
    pub fn from_entries<K: AsRef<str>, V: AsRef<str>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut context = Self::default();
        for (key, value) in entries {
            let value = value.as_ref();
            match key.as_ref() {
                TRACEPARENT if is_traceparent(value) => context.traceparent = Some(value.into()),
                TRACESTATE if is_tracestate(value) => context.tracestate = Some(value.into()),
                BAGGAGE if is_baggage(value) => context.baggage = Some(value.into()),
                _ => {}
            }
        }
        if context.traceparent.is_none() {
            context.tracestate = None;
        }
        context
    }

    /// Reads the trace context of a `_meta`; a part of another form is passed over.
    pub fn read(meta: &RawValue) -> Self {
        let parts = [TRACEPARENT, TRACESTATE, BAGGAGE];
        let Ok(found) = peek::members(meta.get(), &parts) else { return Self::default() };
        let entries = parts.into_iter().zip(found);
        Self::from_entries(entries.filter_map(|(key, raw)| Some((key, peek::text(raw?)?))))
    }

    /// Returns the `traceparent`.
    pub fn traceparent(&self) -> Option<&str> {
        self.traceparent.as_deref()
    }

    /// Returns the `tracestate`.
    pub fn tracestate(&self) -> Option<&str> {
        self.tracestate.as_deref()
    }

    /// Returns the `baggage`.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// Returns the id of the trace, 32 digits of lower-case hex.
    pub fn trace_id(&self) -> Option<&str> {
        self.traceparent.as_deref()?.split('-').nth(1)
    }

    /// Returns the id of the span that the request belongs to, 16 digits of lower-case hex.
    pub fn parent_id(&self) -> Option<&str> {
        self.traceparent.as_deref()?.split('-').nth(2)
    }

    /// Tells whether the caller records the trace.
    pub fn is_sampled(&self) -> bool {
        let flags = self.traceparent.as_deref().and_then(|text| text.split('-').nth(3));
        flags.and_then(|flags| u8::from_str_radix(flags, 16).ok()).is_some_and(|flags| flags & 1 == 1)
    }

    /// Tells whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the parts that are there as entries of a `_meta`.
    pub fn entries(&self) -> Vec<(&'static str, Box<RawValue>)> {
        let parts =
            [(TRACEPARENT, &self.traceparent), (TRACESTATE, &self.tracestate), (BAGGAGE, &self.baggage)];
        let present = parts.into_iter().filter_map(|(key, part)| Some((key, part.as_deref()?)));
        present.map(|(key, part)| (key, to_raw_value(part).expect("text serialises"))).collect()
    }
}

/// Says which part of a trace context has not the form that W3C gives it; it does not hold the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BadTraceContext {
    /// The key of the part.
    pub part: &'static str,
}

impl fmt::Display for BadTraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} has not the form that W3C gives it", self.part)
    }
}

impl std::error::Error for BadTraceContext {}

fn checked(text: String, is_good: fn(&str) -> bool, part: &'static str) -> Result<Box<str>, BadTraceContext> {
    match is_good(&text) {
        true => Ok(text.into()),
        false => Err(BadTraceContext { part }),
    }
}

/// A later version may add fields, after another hyphen.
fn is_traceparent(text: &str) -> bool {
    if text.len() > MOST_BYTES || !text.is_ascii() {
        return false;
    }
    let mut fields = text.split('-');
    let mut field = |digits: usize| {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        fields.next().filter(|field| field.len() == digits && field.bytes().all(is_hex))
    };
    let [Some(version), Some(trace), Some(parent), Some(_)] = [field(2), field(32), field(16), field(2)]
    else {
        return false;
    };
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    version != "ff" && !is_zero(trace) && !is_zero(parent) && (version != "00" || fields.next().is_none())
}

fn is_tracestate(text: &str) -> bool {
    let members = || text.split(',').map(trim).filter(|member| !member.is_empty());
    text.len() <= MOST_BYTES
        && (1..=MOST_STATES).contains(&members().count())
        && members().all(|member| {
            member.split_once('=').is_some_and(|(key, value)| is_state_key(key) && is_state_value(value))
        })
}

fn is_state_key(key: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-*/@".contains(&byte);
    let starts_well = key.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
    starts_well
        && key.len() <= 256
        && key.bytes().all(rest)
        && key.bytes().filter(|byte| *byte == b'@').count() <= 1
        && !key.ends_with('@')
}

fn is_state_value(value: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
    !value.is_empty() && value.len() <= 256 && value.bytes().all(fits)
}

fn is_baggage(text: &str) -> bool {
    let members = || text.split(',').map(trim);
    text.len() <= MOST_BYTES
        && members().count() <= MOST_BAGGAGE
        && members().all(|member| {
            let mut parts = member.split(';').map(trim);
            parts.next().is_some_and(|pair| is_pair(pair, true)) && parts.all(|pair| is_pair(pair, false))
        })
}

/// Checks `key=value`; a property may also be a key alone.
fn is_pair(pair: &str, needs_value: bool) -> bool {
    match pair.split_once('=') {
        Some((key, value)) => is_token(trim(key)) && trim(value).bytes().all(is_baggage_byte),
        None => !needs_value && is_token(pair),
    }
}

/// A token by RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

fn is_baggage_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\",;\\".contains(&byte)
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

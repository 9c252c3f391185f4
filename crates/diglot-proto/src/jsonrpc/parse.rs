//! Reads a text as a message: which members are there, and which of the three shapes they make.
//!
//! Where the envelope is unclear, a failure must never be taken for a success, and whatever carries an id must be able
//! to fail the request with that id.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::limits::{MAX_BATCH, MAX_DEPTH};
use super::unreadable::Fault;
use super::{
    Id, Message, Notification, Parsed, ReplyId, Request, Response, RpcError, Unreadable, UnreadableKind,
};
use super::{id, peek, repair, scan};

/// Reads one message, or a batch.
///
/// The text may have a byte order mark and surrounding space. Invalid UTF-8 and lone surrogate escapes become U+FFFD.
/// An object is read leniently:
///
/// - `jsonrpc` may be missing or wrong; unknown members are ignored; of a repeated key the last one counts.
/// - `error: null` beside a result is a result; an error beside a result is an error.
/// - `params: null` is no parameters.
/// - An error without `jsonrpc` and without `id` is a response only if it is an object whose code is one that JSON-RPC
///   reserves (`-32768` to `-32000`): other services answer `{"error": …}` too.
///
/// # Errors
///
/// [`Unreadable`], with the id where one can be made out.
pub fn parse(text: &[u8]) -> Result<Parsed<'_>, Unreadable> {
    match repair::readable(text) {
        Cow::Borrowed(text) => parse_text(text),
        Cow::Owned(text) => parse_text(&text).map(Parsed::into_owned),
    }
}

fn parse_text(text: &str) -> Result<Parsed<'_>, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_ascii();
    match text.as_bytes().first() {
        Some(b'{') => object(text).map(Parsed::One),
        Some(b'[') => batch(text),
        Some(_) => Err(other(text)),
        None => Err(Unreadable::new(UnreadableKind::NotJson, Fault::Empty, text)),
    }
}

fn object(text: &str) -> Result<Message<'_>, Unreadable> {
    let members = Members::read(text).map_err(|error| Unreadable::not_json(text, &error))?;
    let read = match scan::is_deeper(text.as_bytes(), MAX_DEPTH) {
        true => Err(Fault::TooDeep),
        false => members.message(),
    };
    read.map_err(|fault| {
        let kind = match fault {
            Fault::TooDeep => UnreadableKind::TooDeep,
            _ if members.is_meant() => UnreadableKind::Malformed,
            _ => UnreadableKind::NotAMessage,
        };
        let is_reply = members.result.is_some() || members.error.is_some();
        Unreadable { id: members.known_id(is_reply), is_reply, ..Unreadable::new(kind, fault, text) }
    })
}

fn batch(text: &str) -> Result<Parsed<'_>, Unreadable> {
    let Elements { elements, too_many } =
        serde_json::from_str(text).map_err(|error| Unreadable::not_json(text, &error))?;
    if too_many {
        return Err(Unreadable::new(UnreadableKind::BatchTooLong, Fault::BatchTooLong, text));
    }
    if elements.is_empty() {
        return Err(Unreadable::new(UnreadableKind::NotAMessage, Fault::EmptyBatch, text));
    }
    Ok(Parsed::Batch(elements.into_iter().map(element).collect()))
}

fn element(element: &RawValue) -> Result<Message<'_>, Unreadable> {
    match peek::is_object(element) {
        true => object(element.get()),
        false => Err(other(element.get())),
    }
}

/// Describes what does not start like an object or a batch.
fn other(text: &str) -> Unreadable {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => {
            Unreadable::new(UnreadableKind::NotAMessage, Fault::NotAnObject(peek::json_type(text)), text)
        }
        Err(error) => Unreadable::not_json(text, &error),
    }
}

/// Holds the members of an envelope, present or not, as they stand in the text.
#[derive(Clone, Copy)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn read(text: &'a str) -> serde_json::Result<Self> {
        let keys = ["jsonrpc", "id", "method", "params", "result", "error"];
        let [jsonrpc, id, method, params, result, error] = peek::members(text, &keys)?;
        Ok(Self { jsonrpc, id, method, params, result, error })
    }

    fn message(self) -> Result<Message<'a>, Fault> {
        let real = |raw: &&RawValue| !peek::is_null(raw);
        if let Some(error) = self.error.filter(real) {
            return self.failure(error);
        }
        // Some serializers write every member of every message, the unused ones as null.
        match (self.method.filter(real), self.result) {
            (_, Some(result)) if real(&result) => self.success(result),
            (Some(method), _) => self.call(method),
            (None, Some(result)) => self.success(result),
            (None, None) if self.method.is_some() => Err(Fault::OddMethod("null")),
            (None, None) if self.is_meant() => Err(Fault::NoMethod),
            (None, None) => Err(Fault::Foreign),
        }
    }

    fn failure(self, raw: &RawValue) -> Result<Message<'a>, Fault> {
        let error = RpcError::read(raw).ok_or(Fault::OddError(peek::json_type(raw.get())))?;
        let reserved = peek::is_object(raw) && (-32768..=-32000).contains(&error.code);
        if !self.is_meant() && !reserved {
            return Err(Fault::Foreign);
        }
        Ok(Message::Response(Response { id: ReplyId::read(self.id), outcome: Err(error) }))
    }

    fn success(self, result: &'a RawValue) -> Result<Message<'a>, Fault> {
        if !self.is_meant() {
            return Err(Fault::Foreign);
        }
        Ok(Message::Response(Response { id: ReplyId::read(self.id), outcome: Ok(Cow::Borrowed(result)) }))
    }

    fn call(self, method: &'a RawValue) -> Result<Message<'a>, Fault> {
        let method = peek::text(method).ok_or(Fault::OddMethod(peek::json_type(method.get())))?;
        if method.is_empty() {
            return Err(Fault::EmptyMethod);
        }
        let params = self.params.filter(|params| !peek::is_null(params)).map(Cow::Borrowed);
        Ok(match self.id {
            Some(id) => {
                let id = id::id(id).ok_or(Fault::OddId)?;
                let versioned = self.jsonrpc.and_then(peek::text).is_some_and(|version| version == "2.0");
                Message::Request(Request { id, method, params, versioned })
            }
            None => Message::Notification(Notification { method, params }),
        })
    }

    /// Says whether the object was meant as JSON-RPC, by its members alone.
    fn is_meant(self) -> bool {
        let acts = self.method.is_some() || self.result.is_some() || self.error.is_some();
        self.jsonrpc.is_some() || (self.id.is_some() && acts)
    }

    fn known_id(self, is_reply: bool) -> Option<Id> {
        let raw = self.id?;
        let integral = || is_reply.then(|| peek::integer(raw.get())).flatten().map(Id::Number);
        id::id(raw).or_else(integral)
    }
}

/// Holds the elements of a batch, up to the limit.
struct Elements<'a> {
    elements: Vec<&'a RawValue>,
    too_many: bool,
}

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementsVisitor;

        impl<'de> Visitor<'de> for ElementsVisitor {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
                let mut batch = Elements { elements: Vec::new(), too_many: false };
                while let Some(element) = sequence.next_element()? {
                    match batch.elements.len() < MAX_BATCH {
                        true => batch.elements.push(element),
                        false => batch.too_many = true,
                    }
                }
                Ok(batch)
            }
        }

        deserializer.deserialize_seq(ElementsVisitor)
    }
}

//! How an answer is written: one shape inside, the spelling of the era outside, in one pass over one buffer.

use std::io::Write as _;

use bytes::Bytes;
use diglot_proto::jsonrpc::{self, Id, RpcError};
use diglot_proto::meta;
use diglot_proto::types::CacheScope;
use diglot_proto::version::Era;
use serde::Serialize;
use serde_json::value::RawValue;

/// What a request ends in, before an era spells it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A result.
    Result(ResultBody),
    /// An error.
    Error(RpcError),
}

/// A result without what the era adds to it.
#[derive(Debug, Default)]
pub(crate) struct ResultBody {
    /// The members as the text of an object; where it is no object there are none.
    object: Bytes,
    /// The entries of `_meta` as JSON, without braces.
    meta: Vec<u8>,
    /// How long and how far the result may be cached, for the methods whose results say so.
    cache: Option<(u64, CacheScope)>,
    kind: Kind,
}

/// What a modern result says that it is.
#[derive(Clone, Copy, Debug, Default)]
enum Kind {
    #[default]
    Complete,
    /// More input is wanted first.
    InputRequired,
    /// The request goes on as a task.
    Task,
}

impl Kind {
    fn word(self) -> &'static [u8] {
        match self {
            Self::Complete => b"\"complete\"",
            Self::InputRequired => b"\"input_required\"",
            Self::Task => b"\"task\"",
        }
    }
}

impl ResultBody {
    /// Takes the members of an object that is written already.
    pub(crate) fn of_object(object: impl Into<Bytes>) -> Self {
        Self { object: object.into(), ..Self::default() }
    }

    /// Writes an object; something that is none becomes an empty result.
    pub(crate) fn write(value: &impl Serialize) -> Self {
        Self::of_object(serde_json::to_vec(value).unwrap_or_default())
    }

    /// Begins a result that asks for more input first.
    pub(crate) fn input_required(object: impl Into<Bytes>) -> Self {
        Self { kind: Kind::InputRequired, ..Self::of_object(object) }
    }

    /// Begins a result that is a task, of its object.
    pub(crate) fn task(object: impl Into<Bytes>) -> Self {
        Self { kind: Kind::Task, ..Self::of_object(object) }
    }

    /// Adds how the result may be cached.
    pub(crate) fn cache(mut self, ttl_ms: u64, scope: CacheScope) -> Self {
        self.cache = Some((ttl_ms, scope));
        self
    }

    /// Adds the entries of a `_meta` object.
    pub(crate) fn meta(mut self, object: Option<&RawValue>) -> Self {
        self.meta = object.map(|object| inner(object.get().as_bytes()).to_vec()).unwrap_or_default();
        self
    }
}

/// The result as an object of its own.
impl ResultBody {
    /// Writes the result in the spelling of an era, as it stands within another message.
    pub(crate) fn object(&self, era: Era) -> Vec<u8> {
        let mut text = Vec::with_capacity(64 + self.object.len() + self.meta.len());
        self.write_into(&mut text, era, None);
        jsonrpc::flatten(&mut text);
        text
    }

    fn write_into(&self, text: &mut Vec<u8>, era: Era, identity: Option<&RawValue>) {
        text.push(b'{');
        let mut members = Members { line: text, is_first: true };
        if era == Era::Modern {
            members.add(b"\"resultType\":", self.kind.word());
        }
        let own = inner(&self.object);
        if !own.is_empty() {
            members.add(b"", own);
        }
        if let (Some((ttl_ms, scope)), Era::Modern) = (self.cache, era) {
            members.add(b"\"ttlMs\":", ttl_ms.to_string().as_bytes());
            let word: &[u8] = if scope == CacheScope::Public { b"\"public\"" } else { b"\"private\"" };
            members.add(b"\"cacheScope\":", word);
        }
        write_meta(&mut members, &self.meta, identity);
        text.push(b'}');
    }
}

/// Returns what is between the braces of an object's text.
fn inner(object: &[u8]) -> &[u8] {
    let object = object.trim_ascii();
    object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default().trim_ascii()
}

/// Writes the response to a request in the spelling of an era.
///
/// `identity` is the server's name and version, which modern results carry unless it is switched off.
pub(crate) fn write(id: &Id, outcome: &Outcome, era: Era, identity: Option<&RawValue>) -> Vec<u8> {
    let body = match outcome {
        Outcome::Error(error) => return jsonrpc::write_error(Some(id), error),
        Outcome::Result(body) => body,
    };
    let identity = identity.filter(|_| era == Era::Modern);
    let room =
        160 + body.object.len() + body.meta.len() + identity.map_or(0, |identity| identity.get().len());
    let mut line = Vec::with_capacity(room);
    line.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    // Writing into memory cannot fail.
    let _ = write!(line, "{id}");
    line.extend_from_slice(b",\"result\":");
    body.write_into(&mut line, era, identity);
    line.push(b'}');
    // A handler's raw JSON may have newlines between its tokens.
    jsonrpc::flatten(&mut line);
    line
}

fn write_meta(members: &mut Members<'_>, entries: &[u8], identity: Option<&RawValue>) {
    if entries.is_empty() && identity.is_none() {
        return;
    }
    members.add(b"\"_meta\":", b"{");
    if let Some(identity) = identity {
        let line = &mut *members.line;
        line.push(b'"');
        line.extend_from_slice(meta::SERVER_INFO.as_bytes());
        line.extend_from_slice(b"\":");
        line.extend_from_slice(identity.get().as_bytes());
    }
    if !entries.is_empty() {
        if identity.is_some() {
            members.line.push(b',');
        }
        members.line.extend_from_slice(entries);
    }
    members.line.push(b'}');
}

/// The members of an object that is being written.
struct Members<'a> {
    line: &'a mut Vec<u8>,
    is_first: bool,
}

impl Members<'_> {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.line.push(b',');
        }
        self.line.extend_from_slice(name);
        self.line.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: ResultBody, era: Era) -> String {
        let identity = RawValue::from_string(r#"{"name":"s","version":"1"}"#.to_owned()).unwrap();
        let line = write(&Id::Number(7), &Outcome::Result(body), era, Some(&identity));
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn the_modern_spelling_adds_type_cache_and_identity() {
        let body = ResultBody::of_object(&br#"{"tools":[]}"#[..]).cache(5, CacheScope::Public);
        assert_eq!(
            text(body, Era::Modern),
            r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","tools":[],"ttlMs":5,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#
        );
    }

    #[test]
    fn the_legacy_spelling_adds_nothing() {
        let body = ResultBody::of_object(&br#"{ "tools":[] }"#[..]).cache(5, CacheScope::Public);
        assert_eq!(text(body, Era::Legacy), r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}"#);
        assert_eq!(text(ResultBody::default(), Era::Legacy), r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    }

    #[test]
    fn entries_of_meta_stay_beside_the_identity() {
        let meta = RawValue::from_string(r#"{"a":1}"#.to_owned()).unwrap();
        let body = ResultBody::default().meta(Some(&meta));
        assert!(text(body, Era::Modern).ends_with(r#""version":"1"},"a":1}}}"#));
        let body = ResultBody::default().meta(Some(&meta));
        assert_eq!(text(body, Era::Legacy), r#"{"jsonrpc":"2.0","id":7,"result":{"_meta":{"a":1}}}"#);
    }
}

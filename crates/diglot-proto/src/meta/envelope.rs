//! The envelope of the modern era: the entries that every request carries.

use serde_json::value::RawValue;

use super::splice::{Entry, NoPlace, Place, Value, finish};
use super::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION};
use crate::jsonrpc::escape::push_text;
use crate::jsonrpc::{Id, write};

/// Holds what a modern request says about itself.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// The revision.
    pub protocol_version: &'a str,
    /// The identity of the client, an object.
    pub client_info: Option<&'a RawValue>,
    /// The capabilities of the client, an object.
    pub client_capabilities: &'a RawValue,
    /// The level from which on log messages are wanted.
    pub log_level: Option<&'a str>,
    /// The token for progress notifications.
    pub progress_token: Option<&'a Id>,
    /// Further entries, such as a trace context.
    pub entries: &'a [(&'a str, &'a RawValue)],
}

impl<'a> Envelope<'a> {
    /// Makes an envelope of what every request must have.
    pub fn new(protocol_version: &'a str, client_capabilities: &'a RawValue) -> Self {
        Self {
            protocol_version,
            client_info: None,
            client_capabilities,
            log_level: None,
            progress_token: None,
            entries: &[],
        }
    }

    /// Sets the identity of the client.
    #[must_use]
    pub fn client_info(mut self, client_info: Option<&'a RawValue>) -> Self {
        self.client_info = client_info;
        self
    }

    /// Sets the level of log messages.
    #[must_use]
    pub fn log_level(mut self, log_level: Option<&'a str>) -> Self {
        self.log_level = log_level;
        self
    }

    /// Sets the token for progress notifications.
    #[must_use]
    pub fn progress_token(mut self, progress_token: Option<&'a Id>) -> Self {
        self.progress_token = progress_token;
        self
    }

    /// Sets the further entries; they cannot replace the fields above.
    #[must_use]
    pub fn entries(mut self, entries: &'a [(&'a str, &'a RawValue)]) -> Self {
        self.entries = entries;
        self
    }

    /// Returns the parameters with this envelope in their `_meta`, as [`with_meta`](crate::meta::with_meta) does.
    ///
    /// # Errors
    ///
    /// [`NoPlace`] if the parameters or their `_meta` are no object.
    pub fn apply(&self, params: Option<&RawValue>) -> Result<Box<RawValue>, NoPlace> {
        finish(Place::find(params)?, self.all())
    }

    /// Writes a request whose parameters have this envelope, on one line and without a copy of them in between.
    ///
    /// # Errors
    ///
    /// [`NoPlace`] if the parameters or their `_meta` are no object.
    pub fn write_request(
        &self,
        id: &Id,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Vec<u8>, NoPlace> {
        let place = Place::find(params)?;
        let mut out = write::head(method.len() + write::length(id) + place.room(self.all()));
        write::push_id(&mut out, id);
        out.extend_from_slice(b",\"method\":");
        push_text(&mut out, method);
        out.extend_from_slice(b",\"params\":");
        let start = out.len();
        place.splice(&mut out, self.all());
        write::flatten(out.get_mut(start..).unwrap_or_default());
        out.push(b'}');
        Ok(out)
    }

    fn all(&self) -> impl Iterator<Item = Entry<'a>> + Clone + use<'a> {
        let own = [
            Some((PROTOCOL_VERSION, Value::Text(self.protocol_version))),
            self.client_info.map(|info| (CLIENT_INFO, Value::Raw(info))),
            Some((CLIENT_CAPABILITIES, Value::Raw(self.client_capabilities))),
            self.log_level.map(|level| (LOG_LEVEL, Value::Text(level))),
            self.progress_token.map(|token| (PROGRESS_TOKEN, Value::Id(token))),
        ];
        let taken = own.map(|entry| entry.map(|(key, _)| key));
        let more = self.entries.iter().filter(move |(key, _)| !taken.contains(&Some(*key)));
        own.into_iter().flatten().chain(more.map(|(key, value)| (*key, Value::Raw(value))))
    }
}

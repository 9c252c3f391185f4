//! What outlives a request of a legacy session, as a record, and where records may be kept besides this process.
//!
//! The sessions of this process are in its memory in any case. A store is asked for a session that is not among them: it
//! was opened by another process, or before this one began.

use std::sync::atomic::Ordering;
use std::time::Duration;

use diglot_proto::object::Object;
use diglot_proto::version::Revision;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::future::BoxFuture;
use crate::server::session::Session;
use crate::server::store_error::StoreError;

/// Keeps the records of legacy sessions where other processes find them too.
///
/// A record is a JSON object, whose members are an affair of this crate. The id is a secret as good as a password: a store
/// may keep a hash of it instead.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps a record under an id for at least so long, in place of an earlier one.
    fn save<'a>(
        &'a self,
        id: &'a str,
        record: Box<RawValue>,
        idle: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Finds the record of an id, and keeps it for as long again.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Box<RawValue>>, StoreError>>;

    /// Removes the record of an id, if there is one.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// How many legacy sessions there may be, how long, and what they may keep.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionLimits {
    /// How long a session lasts that nobody uses: 30 minutes.
    pub idle: Duration,
    /// The most sessions; past it the one that was idle longest gives way: 10 000.
    pub sessions: usize,
    /// The most events that a session keeps for streams to be resumed: 256.
    pub kept_events: usize,
    /// The most bytes of events that a session keeps: 1 MiB.
    pub kept_bytes: usize,
    /// The most bytes of events that all sessions keep: 64 MiB.
    pub all_kept_bytes: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(30 * 60),
            sessions: 10_000,
            kept_events: 256,
            kept_bytes: 1024 * 1024,
            all_kept_bytes: 64 * 1024 * 1024,
        }
    }
}

impl SessionLimits {
    /// Sets how long a session lasts that nobody uses.
    #[must_use]
    pub fn idle(mut self, longest: Duration) -> Self {
        self.idle = longest;
        self
    }

    /// Sets the most sessions.
    #[must_use]
    pub fn sessions(mut self, most: usize) -> Self {
        self.sessions = most;
        self
    }

    /// Sets what a session keeps for streams to be resumed: events, and their bytes.
    #[must_use]
    pub fn kept(mut self, events: usize, bytes: usize) -> Self {
        self.kept_events = events;
        self.kept_bytes = bytes;
        self
    }

    /// Sets the most bytes of events that all sessions keep.
    #[must_use]
    pub fn all_kept(mut self, bytes: usize) -> Self {
        self.all_kept_bytes = bytes;
        self
    }
}

/// Writes the record of a session.
pub(crate) fn record(session: &Session, principal: Option<&str>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Record<'a> {
        revision: Revision,
        client: Option<&'a RawValue>,
        capabilities: &'a RawValue,
        level: u8,
        subscriptions: Vec<String>,
        principal: Option<&'a str>,
    }
    let record = Record {
        revision: session.revision,
        client: session.client.as_deref(),
        capabilities: &session.capabilities,
        level: session.level(),
        subscriptions: session.subscriptions().iter().cloned().collect(),
        principal,
    };
    to_raw_value(&record).expect("text and raw JSON serialise")
}

/// Makes the session of a record, and tells to whom it belongs; nothing where the record is none of ours.
pub(crate) fn revive(record: &RawValue) -> Option<(Session, Option<String>)> {
    let object = Object::read(record)?;
    let client = object.raw_object("client").map(ToOwned::to_owned);
    let capabilities = object.raw_object("capabilities")?.to_owned();
    let session = Session::new(object.string("revision")?.parse().ok()?, client, capabilities);
    session.level.store(object.parse("level")?, Ordering::Relaxed);
    for uri in object.strings("subscriptions")? {
        session.subscribe(uri);
    }
    Some((session, object.string("principal")))
}

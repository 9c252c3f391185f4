//! What is remembered of a server, and the trait of the places that keep it.

use std::collections::HashMap;
use std::time::SystemTime;

use diglot_proto::version::Revision;
use serde_json::value::RawValue;

use crate::transport::BoxFuture;

/// Where remembered eras are kept: what a host implements to keep them in a place of its own.
///
/// It may lose records at any time: a lost one costs one probe.
pub trait EraMemory: Send + Sync + 'static {
    /// Looks up what is remembered of a server.
    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<EraRecord>>;

    /// Remembers a server.
    fn remember<'a>(&'a self, key: &'a str, record: EraRecord) -> BoxFuture<'a, ()>;

    /// Forgets a server.
    fn forget<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ()>;
}

/// What is remembered of one server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EraRecord {
    /// The verdict.
    pub verdict: EraVerdict,
    /// When it was found.
    pub since: SystemTime,
}

/// The era of a remembered server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EraVerdict {
    /// It was modern.
    Modern {
        /// The revision that was agreed on.
        revision: Revision,
        /// The `DiscoverResult`, as it came.
        discovery: Box<RawValue>,
    },
    /// It was legacy.
    Legacy,
}

impl EraRecord {
    /// Dates a verdict.
    pub fn new(verdict: EraVerdict, since: SystemTime) -> Self {
        Self { verdict, since }
    }
}

/// The most servers that a store of ours remembers; past it the oldest is forgotten.
const MOST_SERVERS: usize = 1_000;

/// Records by key: what both of our own memories are made of.
#[derive(Default)]
pub(super) struct Records(pub(super) HashMap<String, EraRecord>);

impl Records {
    pub(super) fn insert(&mut self, key: &str, record: EraRecord) {
        if self.0.len() >= MOST_SERVERS && !self.0.contains_key(key) {
            let oldest = self.0.iter().min_by_key(|(_, record)| record.since).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.0.remove(&oldest);
            }
        }
        self.0.insert(key.to_owned(), record);
    }
}

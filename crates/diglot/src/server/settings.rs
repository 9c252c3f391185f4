//! The settings of a server, in force for its whole life.

use std::time::Duration;

use diglot_proto::types::{CacheScope, Implementation};
use diglot_proto::version::{Era, Revision};
use serde_json::value::{RawValue, to_raw_value};

/// Which eras a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Eras {
    /// Both, on the same endpoint.
    #[default]
    Both,
    /// The modern era alone.
    Modern,
    /// The legacy era alone.
    Legacy,
}

/// How a result may be cached (`server/utilities/caching`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHint {
    /// How long it stays fresh, in milliseconds; 0 means not at all.
    pub ttl_ms: u64,
    /// How far it may be shared.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Lets one authorization context keep a result.
    pub fn private(ttl: Duration) -> Self {
        Self { ttl_ms: millis(ttl), scope: CacheScope::Private }
    }

    /// Lets anyone keep a result.
    pub fn public(ttl: Duration) -> Self {
        Self { ttl_ms: millis(ttl), scope: CacheScope::Public }
    }
}

fn millis(ttl: Duration) -> u64 {
    u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)
}

/// All settings of a server.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) identity: Box<RawValue>,
    pub(crate) shows_identity: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) eras: Eras,
    pub(crate) legacy: Vec<Revision>,
    pub(crate) page_size: usize,
    pub(crate) discover_cache: CacheHint,
    pub(crate) list_cache: CacheHint,
    pub(crate) read_cache: CacheHint,
    /// How long a `requestState` is good.
    pub(crate) state_lifetime: Duration,
    /// The most changes that wait for one subscriber.
    pub(crate) queued_changes: usize,
    pub(crate) pipe: PipeSettings,
    /// Whether a server on the standard streams ends on signals.
    pub(crate) ends_on_signals: bool,
}

/// The settings of a server that serves over pipes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PipeSettings {
    /// The longest message, in bytes.
    pub(crate) message_bytes: usize,
    /// The most requests under way on one pipe, subscriptions apart.
    pub(crate) requests: usize,
    /// The most bytes that wait to be written before a pipe stops to read and to work.
    pub(crate) unsent_bytes: usize,
    /// How long requests under way may take when the input has ended.
    pub(crate) drain: Duration,
}

impl Default for PipeSettings {
    fn default() -> Self {
        Self {
            message_bytes: 4 * 1024 * 1024,
            requests: 1_024,
            unsent_bytes: 1024 * 1024,
            drain: Duration::from_secs(5),
        }
    }
}

impl Settings {
    pub(crate) fn new(identity: &Implementation) -> Self {
        Self {
            identity: to_raw_value(identity).expect("plain text serialises"),
            shows_identity: true,
            instructions: None,
            eras: Eras::Both,
            legacy: Revision::ALL.iter().copied().filter(|revision| revision.era() == Era::Legacy).collect(),
            page_size: 1_000,
            discover_cache: CacheHint::default(),
            list_cache: CacheHint::default(),
            read_cache: CacheHint::default(),
            state_lifetime: Duration::from_secs(15 * 60),
            queued_changes: 1_024,
            pipe: PipeSettings::default(),
            ends_on_signals: true,
        }
    }

    /// Tells whether the server speaks the modern era.
    pub(crate) fn is_modern(&self) -> bool {
        self.eras != Eras::Legacy
    }

    /// Returns the legacy revisions that the server speaks.
    pub(crate) fn legacy(&self) -> &[Revision] {
        match self.eras {
            Eras::Modern => &[],
            _ => &self.legacy,
        }
    }

    /// Returns the identity that modern results carry.
    pub(crate) fn shown_identity(&self) -> Option<&RawValue> {
        self.shows_identity.then_some(&*self.identity)
    }
}

//! Results that the server lets the client keep for a while (`server/utilities/caching`).
//!
//! Only modern servers say how long. The cache belongs to one connected client, so that what is private never leaves the
//! authorization context that it was sent to; nothing is shared between clients.

mod fetch;
mod key;
mod observe;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diglot_proto::object::Object;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::limits::Limits;

pub(super) use key::Key;

/// What the cache has to do with a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Caching {
    /// Nothing: the request goes to the server and its result is not kept.
    #[default]
    Bypass,
    /// A fresh result is used, else the server's is kept.
    Use,
    /// The request goes to the server, and its result is kept.
    Renew,
}

/// The results of one connection that are fresh, within its limits.
#[derive(Debug)]
pub(super) struct Cache {
    is_on: bool,
    most_entries: usize,
    most_bytes: usize,
    most_age: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// The keys by their last use, the oldest first.
    order: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
    /// How often something was invalidated: a result that was asked for before that is not kept.
    epoch: u64,
}

#[derive(Debug)]
struct Entry {
    result: Box<RawValue>,
    stale_at: Instant,
    last_use: u64,
}

impl Cache {
    /// Begins with nothing; one that is off stays so.
    pub(super) fn new(is_on: bool, limits: &Limits) -> Self {
        Self {
            is_on: is_on && limits.cache_entries > 0,
            most_entries: limits.cache_entries,
            most_bytes: limits.cache_bytes,
            most_age: limits.cache_age,
            state: Mutex::default(),
        }
    }

    /// Returns the result of a request while it is fresh.
    pub(super) fn find(&self, key: &Key) -> Option<Box<RawValue>> {
        let mut state = self.state();
        let State { entries, order, uses, .. } = &mut *state;
        let entry = entries.get_mut(key)?;
        if Instant::now() >= entry.stale_at {
            state.remove(key);
            return None;
        }
        *uses += 1;
        let key = order.remove(&entry.last_use)?;
        entry.last_use = *uses;
        order.insert(*uses, key);
        Some(entry.result.clone())
    }

    /// Returns the mark that [`keep`](Self::keep) wants of the time when a request was sent.
    pub(super) fn epoch(&self) -> u64 {
        self.state().epoch
    }

    /// Keeps a result that came just now for as long as the server says, unless something was invalidated meanwhile.
    pub(super) fn keep(&self, key: Key, result: &RawValue, epoch: u64) {
        let weight = key.weight() + result.get().len();
        let age = lifetime(result).min(self.most_age);
        if !self.is_on || age.is_zero() || weight > self.most_bytes {
            return;
        }
        let Some(stale_at) = Instant::now().checked_add(age) else { return };
        let mut state = self.state();
        if state.epoch != epoch {
            return;
        }
        state.remove(&key);
        state.uses += 1;
        state.bytes += weight;
        let last_use = state.uses;
        state.order.insert(last_use, key.clone());
        state.entries.insert(key, Entry { result: result.to_owned(), stale_at, last_use });
        while state.entries.len() > self.most_entries || state.bytes > self.most_bytes {
            let Some((_, oldest)) = state.order.first_key_value() else { return };
            let oldest = oldest.clone();
            state.remove(&oldest);
        }
    }

    /// Drops the results whose key the function picks, and those that are on their way.
    pub(super) fn forget(&self, is_stale: impl Fn(&Key) -> bool) {
        let mut state = self.state();
        state.epoch += 1;
        let stale: Vec<Key> = state.entries.keys().filter(|key| is_stale(key)).cloned().collect();
        for key in &stale {
            state.remove(key);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.last_use);
            self.bytes -= key.weight() + entry.result.get().len();
        }
    }
}

/// Returns how long a result stays fresh: not at all where the server does not say, or says something odd.
fn lifetime(result: &RawValue) -> Duration {
    let milliseconds = Object::read(result).and_then(|object| object.parse::<f64>("ttlMs"));
    let milliseconds = milliseconds.filter(|milliseconds| *milliseconds > 0.0).unwrap_or_default();
    Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn key(cursor: u32) -> Key {
        Key::new("tools/list", Some(&raw(&format!(r#"{{"cursor":"{cursor}"}}"#))))
    }

    fn page(text: &str) -> Box<RawValue> {
        raw(&format!(r#"{{"ttlMs":1000,"x":"{text}"}}"#))
    }

    #[test]
    fn a_lifetime_is_what_the_server_says_and_nothing_where_it_says_something_odd() {
        let milliseconds = |text: &str| lifetime(&raw(text)).as_millis();
        assert_eq!(milliseconds(r#"{"ttlMs":1500}"#), 1500);
        assert_eq!(milliseconds(r#"{"ttlMs":1500.0}"#), 1500);
        assert_eq!(lifetime(&raw(r#"{"ttlMs":1e300}"#)), Duration::MAX);
        for odd in ["{}", r#"{"ttlMs":0}"#, r#"{"ttlMs":-5}"#, r#"{"ttlMs":"9"}"#, r#"{"ttlMs":null}"#, "[]"]
        {
            assert_eq!(milliseconds(odd), 0, "{odd}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_used_result_goes_first_where_there_are_too_many() {
        let cache = Cache::new(true, &Limits::default().cache(2, 1 << 20));
        for cursor in 0..2 {
            cache.keep(key(cursor), &page("a"), cache.epoch());
        }
        assert!(cache.find(&key(0)).is_some());
        cache.keep(key(2), &page("a"), cache.epoch());
        assert!(cache.find(&key(1)).is_none());
        assert!(cache.find(&key(0)).is_some() && cache.find(&key(2)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn the_results_together_are_never_larger_than_the_limit() {
        let one = key(0).weight() + page("a").get().len();
        let cache = Cache::new(true, &Limits::default().cache(100, 2 * one));
        for cursor in 0..5 {
            cache.keep(key(cursor), &page("a"), cache.epoch());
            assert!(cache.state().bytes <= 2 * one);
        }
        cache.keep(key(9), &page(&"a".repeat(2 * one)), cache.epoch());
        let left: Vec<u32> = (0..10).filter(|cursor| cache.find(&key(*cursor)).is_some()).collect();
        assert_eq!(left, [3, 4]);
        cache.forget(|_| true);
        let state = cache.state();
        assert_eq!((state.bytes, state.order.len()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_that_was_asked_for_before_an_invalidation_is_not_kept() {
        let cache = Cache::new(true, &Limits::default());
        let epoch = cache.epoch();
        cache.forget(|_| false);
        cache.keep(key(0), &page("a"), epoch);
        assert!(cache.find(&key(0)).is_none());
    }
}

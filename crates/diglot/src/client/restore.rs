//! What a legacy session was told that the next one has to be told again.
//!
//! A modern request carries all of it by itself, so only a legacy client ever keeps anything here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

/// The requests that a new session is sent before any other, oldest first.
///
/// Only what the host asked for gets in, once for each method. Subscriptions see to themselves.
#[derive(Default)]
pub(super) struct Restoration(Mutex<Vec<Kept>>);

/// A request to send again.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) method: &'static str,
    pub(super) params: Box<RawValue>,
}

impl Restoration {
    /// Keeps a request that a server has accepted; a later one of the same method takes its place.
    pub(super) fn keep(&self, method: &'static str, params: Box<RawValue>) {
        let mut kept = self.kept();
        match kept.iter_mut().find(|own| own.method == method) {
            Some(own) => own.params = params,
            None => kept.push(Kept { method, params }),
        }
    }

    /// Returns what a new session is to be told, oldest first.
    pub(super) fn all(&self) -> Vec<Kept> {
        self.kept().clone()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        // Nothing in here panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_last_word_of_a_method_is_kept_in_its_first_place() {
        let restoration = Restoration::default();
        restoration.keep("logging/setLevel", params("1"));
        restoration.keep("other", params("2"));
        restoration.keep("logging/setLevel", params("3"));
        let all: Vec<_> = restoration.all().iter().map(|kept| kept.params.to_string()).collect();
        assert_eq!(all, ["3", "2"]);
    }
}

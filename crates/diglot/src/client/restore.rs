//! What a legacy session was told that the next one has to be told again.
//!
//! A modern request carries all of it by itself, so only a legacy client ever keeps anything here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

/// The requests that a new session is sent before any other, oldest first.
///
/// Only what the host asked for gets in, once for each subject.
#[derive(Default)]
pub(super) struct Restoration(Mutex<Vec<Kept>>);

/// A request to send again.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) method: &'static str,
    /// What tells it from others of its method, such as the address of a resource; empty where there is one at most.
    pub(super) subject: String,
    pub(super) params: Box<RawValue>,
}

impl Restoration {
    /// Keeps a request that a server has accepted; a later one of the same method and subject takes its place.
    pub(super) fn keep(&self, method: &'static str, subject: &str, params: Box<RawValue>) {
        let mut kept = self.kept();
        match kept.iter_mut().find(|own| own.is_about(method, subject)) {
            Some(own) => own.params = params,
            None => kept.push(Kept { method, subject: subject.to_owned(), params }),
        }
    }

    /// Forgets a request, because it was taken back.
    #[cfg_attr(not(test), expect(dead_code, reason = "the end of a subscription calls it"))]
    pub(super) fn forget(&self, method: &str, subject: &str) {
        self.kept().retain(|own| !own.is_about(method, subject));
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

impl Kept {
    fn is_about(&self, method: &str, subject: &str) -> bool {
        self.method == method && self.subject == subject
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_last_word_on_a_subject_is_kept_in_its_first_place() {
        let restoration = Restoration::default();
        restoration.keep("logging/setLevel", "", params("1"));
        restoration.keep("resources/subscribe", "a", params("2"));
        restoration.keep("resources/subscribe", "b", params("3"));
        restoration.keep("logging/setLevel", "", params("4"));
        restoration.forget("resources/subscribe", "a");
        let all: Vec<_> = restoration.all().iter().map(|kept| kept.params.to_string()).collect();
        assert_eq!(all, ["4", "3"]);
    }
}

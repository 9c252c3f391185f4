//! The connections that have not sent a request yet: where there is no room for another, the oldest of them gives way.
//!
//! Opening connections and saying nothing costs a client next to nothing; it must not keep others out.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use crate::http::serve::activity::Activity;

/// How many entries of connections that are no newcomers any more are looked at before they are swept out.
const SWEEP: usize = 1_024;

/// The newcomers, the oldest first.
#[derive(Default)]
pub(super) struct Newcomers {
    waiting: VecDeque<Weak<Activity>>,
    welcomed: usize,
}

impl Newcomers {
    /// Adds a connection.
    pub(super) fn welcome(&mut self) -> Arc<Activity> {
        self.welcomed += 1;
        if self.welcomed.is_multiple_of(SWEEP) {
            self.waiting.retain(|newcomer| newcomer.upgrade().is_some_and(|one| one.is_new()));
        }
        let activity = Arc::new(Activity::default());
        self.waiting.push_back(Arc::downgrade(&activity));
        activity
    }

    /// Closes the newcomer that has waited longest, if there is one.
    pub(super) fn dismiss_oldest(&mut self) {
        while let Some(newcomer) = self.waiting.pop_front() {
            if let Some(newcomer) = newcomer.upgrade().filter(|newcomer| newcomer.is_new()) {
                return newcomer.dismiss();
            }
        }
    }
}

//! The time that a request has: a budget, which progress may renew, up to a most.

use std::future::Future;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// A time that is as good as never, for a budget that no clock can hold.
const AGES: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// The time that one request has.
pub(super) struct Clock {
    began: Instant,
    budget: Duration,
    /// The most time in all, where progress renews the budget.
    most: Option<Duration>,
    /// When the server last showed that it is at work.
    last: Mutex<Instant>,
}

impl Clock {
    /// Starts a budget; with `most`, progress starts it anew until so much has passed in all.
    pub(super) fn start(budget: Duration, most: Option<Duration>) -> Self {
        let began = Instant::now();
        Self { began, budget, most, last: Mutex::new(began) }
    }

    /// Notes that the server is at work.
    pub(super) fn beat(&self) {
        if self.most.is_some() {
            *self.last() = Instant::now();
        }
    }

    /// Does some work for as long as there is time; nothing where the time ran out.
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        loop {
            let deadline = self.deadline();
            match timeout_at(deadline, work.as_mut()).await {
                Ok(done) => return Some(done),
                Err(_) if self.deadline() > deadline => {}
                Err(_) => return None,
            }
        }
    }

    /// Returns how long the work could take.
    pub(super) fn allowed(&self) -> Duration {
        match self.most {
            None => self.budget,
            Some(_) => self.deadline() - self.began,
        }
    }

    fn deadline(&self) -> Instant {
        let next = after(*self.last(), self.budget);
        match self.most {
            None => next,
            // A most that is less than the budget would take time away.
            Some(most) => next.min(after(self.began, most.max(self.budget))),
        }
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time).unwrap_or_else(|| start + AGES)
}

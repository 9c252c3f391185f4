//! What tasks may take, each with a name and a default.

use std::time::Duration;

/// How many tasks there may be, how long, and what they may keep.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskLimits {
    /// How long a task is kept from its creation, where the tool does not say; past it the task is cut off: 1 hour.
    pub ttl: Duration,
    /// The longest time that a legacy client may ask for in place of [`ttl`](Self::ttl): 1 day.
    pub longest_ttl: Duration,
    /// How long clients are asked to wait between two looks, where the tool does not say: 1 second.
    pub poll_interval: Duration,
    /// The most tasks that run in this process at once: 1 024.
    pub running: usize,
    /// The most tasks of one caller that run in this process at once; callers without a name are one: 256.
    pub running_of_one: usize,
    /// The most tasks that the store in memory keeps; past it the oldest that has ended gives way: 10 000.
    pub kept: usize,
    /// The most bytes that the store in memory keeps: 64 MiB.
    pub kept_bytes: usize,
    /// The most questions that one task may ask: 1 000.
    pub questions: usize,
    /// The most tasks that one subscription tells of: 256.
    pub watched: usize,
}

impl Default for TaskLimits {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(60 * 60),
            longest_ttl: Duration::from_secs(24 * 60 * 60),
            poll_interval: Duration::from_secs(1),
            running: 1_024,
            running_of_one: 256,
            kept: 10_000,
            kept_bytes: 64 * 1024 * 1024,
            questions: 1_000,
            watched: 256,
        }
    }
}

impl TaskLimits {
    /// Sets how long a task is kept from its creation, and the longest time that a legacy client may ask for.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration, longest: Duration) -> Self {
        self.ttl = ttl;
        self.longest_ttl = longest;
        self
    }

    /// Sets how long clients are asked to wait between two looks.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets the most tasks that run at once: of all callers, and of one.
    #[must_use]
    pub fn running(mut self, all: usize, of_one: usize) -> Self {
        self.running = all;
        self.running_of_one = of_one;
        self
    }

    /// Sets what the store in memory keeps: tasks, and their bytes.
    #[must_use]
    pub fn kept(mut self, tasks: usize, bytes: usize) -> Self {
        self.kept = tasks;
        self.kept_bytes = bytes;
        self
    }

    /// Sets the most questions that one task may ask.
    #[must_use]
    pub fn questions(mut self, questions: usize) -> Self {
        self.questions = questions;
        self
    }

    /// Sets the most tasks that one subscription tells of.
    #[must_use]
    pub fn watched(mut self, tasks: usize) -> Self {
        self.watched = tasks;
        self
    }
}

/// Writes a time in milliseconds, of which there is at least one.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).clamp(1, i64::MAX.unsigned_abs())
}

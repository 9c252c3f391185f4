//! When a broken event stream is taken up again: how long to wait, and when to give up.
//!
//! Servers of the legacy era may close a connection and have the client come back for the rest of its stream, after the
//! time that the field `retry` names (`basic/transports` of revision 2025-11-25, "Resumability and Redelivery"). That
//! must be respected, and must neither hammer a server nor put the client to sleep for good.

use std::time::Duration;

/// The bounds of taking streams up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResumeBounds {
    /// The most tries in a row that bring nothing: 5.
    pub tries: usize,
    /// How long the first try waits where the server names no time; each further one in a row twice as long: 500 ms.
    pub first_wait: Duration,
    /// The shortest wait, whatever the server names: 100 ms.
    pub shortest_wait: Duration,
    /// The longest wait, whatever the server names: 60 s.
    pub longest_wait: Duration,
}

impl Default for ResumeBounds {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_millis(500),
            shortest_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(60),
        }
    }
}

/// The tries to take one stream up again, as far as they went.
///
/// ```
/// use std::time::Duration;
///
/// use diglot_proto::http::resume::{ResumeBounds, Resumption};
///
/// let mut resumption = Resumption::new(ResumeBounds::default());
/// // The server named 3 s, and the first try brings an event.
/// assert_eq!(resumption.next_wait(Some(3000)), Some(Duration::from_secs(3)));
/// resumption.progressed();
/// assert_eq!(resumption.next_wait(None), Some(Duration::from_millis(500)));
/// assert_eq!(resumption.next_wait(None), Some(Duration::from_millis(1000)));
/// ```
#[derive(Clone, Debug)]
pub struct Resumption {
    bounds: ResumeBounds,
    in_a_row: usize,
}

impl Resumption {
    /// Begins with no try.
    pub fn new(bounds: ResumeBounds) -> Self {
        Self { bounds, in_a_row: 0 }
    }

    /// Notes that the stream brought something, which ends the row of tries.
    pub fn progressed(&mut self) {
        self.in_a_row = 0;
    }

    /// Returns how long the next try waits, and counts it; nothing once there were too many in a row.
    ///
    /// `retry_ms` is what the stream last named, in milliseconds. It is the least that every try waits, within the
    /// bounds; where tries fail, the wait grows past it.
    pub fn next_wait(&mut self, retry_ms: Option<u64>) -> Option<Duration> {
        if self.in_a_row >= self.bounds.tries {
            return None;
        }
        let named = retry_ms.map(Duration::from_millis);
        // Two to the power of 32 times any wait is past every bound.
        let doublings = |times: usize| 1_u32.checked_shl(u32::try_from(times).unwrap_or(u32::MAX));
        let grown =
            |times| doublings(times).map_or(Duration::MAX, |by| self.bounds.first_wait.saturating_mul(by));
        let wait = match (named, self.in_a_row) {
            (Some(named), 0) => named,
            (Some(named), failed) => named.max(grown(failed - 1)),
            (None, failed) => grown(failed),
        };
        self.in_a_row += 1;
        // Not `clamp`, which panics where the bounds exclude each other.
        Some(wait.max(self.bounds.shortest_wait).min(self.bounds.longest_wait))
    }

    /// Returns the bounds.
    pub fn bounds(&self) -> ResumeBounds {
        self.bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(resumption: &mut Resumption, retry_ms: Option<u64>) -> Vec<u64> {
        std::iter::from_fn(|| resumption.next_wait(retry_ms))
            .map(|wait| u64::try_from(wait.as_millis()).unwrap())
            .collect()
    }

    fn tries(tries: usize) -> Resumption {
        Resumption::new(ResumeBounds { tries, ..ResumeBounds::default() })
    }

    #[test]
    fn waits_grow_up_to_the_longest_and_tries_end() {
        assert_eq!(waits(&mut tries(3), None), [500, 1000, 2000]);
        let all = waits(&mut tries(100), None);
        assert_eq!((all.len(), all[50], all[99]), (100, 60_000, 60_000));
        assert!(waits(&mut tries(0), None).is_empty());
    }

    #[test]
    fn what_the_server_names_is_the_least_within_the_bounds() {
        assert_eq!(waits(&mut tries(4), Some(700)), [700, 700, 1000, 2000]);
        assert_eq!(waits(&mut tries(2), Some(0)), [100, 500]);
        assert_eq!(waits(&mut tries(2), Some(u64::MAX)), [60_000, 60_000]);
    }

    #[test]
    fn progress_ends_the_row() {
        let mut resumption = tries(2);
        for _ in 0..100 {
            assert_eq!(resumption.next_wait(Some(1000)), Some(Duration::from_secs(1)));
            resumption.progressed();
        }
        assert_eq!(waits(&mut resumption, None).len(), 2);
    }

    #[test]
    fn bounds_that_exclude_each_other_are_no_panic() {
        let bounds = ResumeBounds {
            shortest_wait: Duration::from_secs(9),
            longest_wait: Duration::from_secs(1),
            ..ResumeBounds::default()
        };
        assert_eq!(Resumption::new(bounds).next_wait(None), Some(Duration::from_secs(1)));
    }
}

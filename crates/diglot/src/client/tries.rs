//! How often a lost connection may be opened anew, and how long each try waits.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::Reopening;
use crate::limits::Limits;

const MINUTE: Duration = Duration::from_secs(60);

/// The tries of the last minute, and those of the row under way.
#[derive(Debug, Default)]
pub(super) struct Tries {
    recent: VecDeque<Instant>,
    in_a_row: usize,
}

/// Leave to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Try {
    /// Its number in the row, from 1.
    pub(super) attempt: usize,
    pub(super) wait: Duration,
}

impl Tries {
    /// Asks to open a session anew, which waits for nothing.
    pub(super) fn session(&mut self, now: Instant, limits: &Limits) -> Result<Try, Reopening> {
        self.take(now, limits)?;
        Ok(Try { attempt: 1, wait: Duration::ZERO })
    }

    /// Asks to open a wire anew that ended: each in a row waits twice as long as the one before.
    pub(super) fn wire(&mut self, now: Instant, limits: &Limits) -> Result<Try, Reopening> {
        if self.recent.back().is_none_or(|last| now.saturating_duration_since(*last) >= MINUTE) {
            self.in_a_row = 0;
        }
        let most = limits.restarts_in_a_row;
        if self.in_a_row >= most {
            return Err(Reopening::OverLimit { limit: "restarts_in_a_row", most });
        }
        let doublings = u32::try_from(self.in_a_row).unwrap_or(u32::MAX);
        let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
        let wait = limits.restart_wait.saturating_mul(factor).min(limits.restart_wait_most);
        // It counts from when it happens, so that a long wait does not look like a lasting connection.
        self.take(now.checked_add(wait).unwrap_or(now), limits)?;
        self.in_a_row += 1;
        Ok(Try { attempt: self.in_a_row, wait })
    }

    fn take(&mut self, at: Instant, limits: &Limits) -> Result<(), Reopening> {
        let most = limits.reopenings_per_minute;
        while self.recent.front().is_some_and(|old| at.saturating_duration_since(*old) >= MINUTE) {
            self.recent.pop_front();
        }
        if self.recent.len() >= most {
            return Err(Reopening::OverLimit { limit: "reopenings_per_minute", most });
        }
        self.recent.push_back(at);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(outcome: Result<Try, Reopening>) -> &'static str {
        match outcome {
            Err(Reopening::OverLimit { limit, .. }) => limit,
            other => panic!("instead of a limit: {other:?}"),
        }
    }

    #[test]
    fn sessions_are_opened_anew_so_often_a_minute() {
        let (mut tries, now, limits) =
            (Tries::default(), Instant::now(), Limits::default().reopenings_per_minute(2));
        let at = |seconds| now + Duration::from_secs(seconds);
        assert!(tries.session(at(0), &limits).is_ok() && tries.session(at(30), &limits).is_ok());
        assert_eq!(limit(tries.session(at(59), &limits)), "reopenings_per_minute");
        assert!(tries.session(at(60), &limits).is_ok());
        assert_eq!(limit(tries.session(at(61), &limits)), "reopenings_per_minute");
        assert!(tries.session(at(90), &limits).is_ok());
    }

    #[test]
    fn each_wire_in_a_row_waits_twice_as_long_up_to_the_bound() {
        let limits = Limits::default().restarts(5, Duration::from_secs(1), Duration::from_secs(5));
        let (mut tries, now) = (Tries::default(), Instant::now());
        let waits: Vec<_> = (0..5).map(|_| tries.wire(now, &limits).unwrap().wait.as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 5, 5]);
        assert_eq!(limit(tries.wire(now, &limits)), "restarts_in_a_row");
    }

    #[test]
    fn a_wire_that_lasted_begins_a_new_row() {
        let limits = Limits::default().restarts(2, Duration::from_secs(1), Duration::from_secs(9));
        let (mut tries, now) = (Tries::default(), Instant::now());
        tries.wire(now, &limits).unwrap();
        tries.wire(now, &limits).unwrap();
        assert_eq!(limit(tries.wire(now + Duration::from_secs(61), &limits)), "restarts_in_a_row");
        let later = tries.wire(now + Duration::from_secs(62), &limits).unwrap();
        assert_eq!(later, Try { attempt: 1, wait: Duration::from_secs(1) });
    }

    #[test]
    fn no_number_of_tries_overflows_the_wait() {
        let limits = Limits::default().reopenings_per_minute(1_000).restarts(
            1_000,
            Duration::from_secs(1),
            Duration::from_secs(30),
        );
        let (mut tries, now) = (Tries::default(), Instant::now());
        let waits: Vec<_> = (0..1_000).map(|_| tries.wire(now, &limits).unwrap().wait).collect();
        assert_eq!(waits.last(), Some(&Duration::from_secs(30)));
    }
}

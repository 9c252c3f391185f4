//! The faults, and the chance by which they happen.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What is done to one answer, or to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It passes as it is.
    None,
    /// The connection ends somewhere in the middle of it.
    Cut,
    /// It comes late.
    Delay,
    /// It comes after the one that follows it.
    Reorder,
    /// It comes twice.
    Duplicate,
    /// The end of it is missing, and nothing tells so.
    Truncate,
    /// It comes byte by byte.
    Split,
    /// It never comes.
    Swallow,
    /// The request gets there, and a page of the gateway comes in the place of its answer.
    BadGateway,
    /// The request does not get there, and a page of the gateway says so.
    Unavailable,
    /// Headers are taken from the request and from the answer.
    Strip,
    /// Something that is no message comes before it.
    Noise,
    /// The server is started anew, and knows nothing of before.
    Restart,
}

/// The faults of HTTP; one that stands more than once is the more frequent.
#[rustfmt::skip]
pub(super) const OF_HTTP: &[Fault] = &[
    Fault::Cut, Fault::Cut, Fault::Delay, Fault::Reorder, Fault::Duplicate, Fault::Truncate, Fault::Split, Fault::Split,
    Fault::Swallow, Fault::BadGateway, Fault::Unavailable, Fault::Strip, Fault::Noise, Fault::Restart,
];

/// The faults of a pipe.
#[rustfmt::skip]
pub(super) const OF_PIPES: &[Fault] = &[
    Fault::Delay, Fault::Reorder, Fault::Reorder, Fault::Duplicate, Fault::Duplicate, Fault::Truncate, Fault::Split,
    Fault::Split, Fault::Swallow, Fault::Noise, Fault::Noise, Fault::Cut,
];

/// Random numbers from a seed (SplitMix64), and a count of the faults that were drawn.
pub(super) struct Chance {
    state: AtomicU64,
    over: AtomicBool,
    drawn: AtomicUsize,
}

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: AtomicU64::new(seed), over: AtomicBool::new(false), drawn: AtomicUsize::new(0) }
    }

    /// Draws a number below a bound, which is not zero.
    pub(super) fn below(&self, bound: usize) -> usize {
        let step = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.state.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % bound).unwrap()
    }

    /// Draws a fault, unless they are over; every other time it is none, so that something goes well between them.
    pub(super) fn fault(&self, faults: &[Fault]) -> Fault {
        if self.over.load(Ordering::SeqCst) || self.below(2) > 0 {
            return Fault::None;
        }
        self.drawn.fetch_add(1, Ordering::SeqCst);
        faults[self.below(faults.len())]
    }

    /// Returns how many faults there were.
    pub(super) fn drawn(&self) -> usize {
        self.drawn.load(Ordering::SeqCst)
    }

    /// Ends the faults.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

//! Failures that a negotiation decides: no common version, or a downgrade that the policy refuses.

use std::fmt;

use diglot_proto::lifecycle::{Contradiction, Evidence, Mode, Negotiation, Row, Saw};
use diglot_proto::version::Revision;

/// Both sides cannot speak with each other as things are set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Incompatible {
    /// Why.
    pub reason: IncompatibleReason,
    /// The revisions that the client offered.
    pub offered: Vec<Revision>,
    /// The versions that the server offered, in its words.
    pub server_offered: Vec<String>,
    /// Every step that led here.
    pub negotiation: Negotiation,
}

/// Why both sides cannot speak with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncompatibleReason {
    /// They have no version in common.
    NoMutualVersion,
    /// The server is a legacy one, and the mode or the pin is modern.
    LegacyServer,
    /// The settings exclude each other; nothing was sent.
    Contradiction(Contradiction),
}

impl Incompatible {
    /// Finds the revision that both sides named, where they did not come together all the same.
    fn contradicted(&self) -> Option<Revision> {
        let is_named = |offer: &Revision| self.server_offered.iter().any(|word| word == offer.as_str());
        self.offered.iter().copied().filter(is_named).max()
    }

    fn write_versions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no common version: we offer {}", Listed(&self.offered))?;
        match self.server_offered.is_empty() {
            true => f.write_str(", the server names none that we speak"),
            false => write!(f, ", the server {}", Listed(&self.server_offered)),
        }
    }
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            IncompatibleReason::NoMutualVersion => match self.contradicted() {
                Some(revision) => write!(
                    f,
                    "no version agreed on: the server names {revision}, which we offer, and contradicts itself"
                ),
                None => self.write_versions(f),
            },
            IncompatibleReason::LegacyServer if self.negotiation.mode == Mode::Auto.as_str() => f.write_str(
                "the server speaks only the deprecated HTTP+SSE transport, which is ruled out here; allow it",
            ),
            IncompatibleReason::LegacyServer => f.write_str(
                "the server speaks only the legacy era, which modern mode never falls back to; use auto mode",
            ),
            IncompatibleReason::Contradiction(contradiction) => contradiction.fmt(f),
        }
    }
}

struct Listed<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 12;
        for (at, item) in self.0.iter().take(MOST).enumerate() {
            write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
        }
        match self.0.len() > MOST {
            true => write!(f, " and {} more", self.0.len() - MOST),
            false => Ok(()),
        }
    }
}

/// The policy does not allow a downgrade on what was seen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DowngradeRefused {
    /// What was seen.
    pub evidence: Evidence,
    /// The row of the table that the evidence falls in.
    pub row: Row,
    /// Every step that led here.
    pub negotiation: Negotiation,
}

impl fmt::Display for DowngradeRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the {} policy does not take {} for a legacy server ({}); a more lenient policy would",
            self.negotiation.policy,
            Saw::of(&self.evidence),
            self.row
        )
    }
}

//! Revisions of the protocol and the two eras that they fall into.
//!
//! A revision is named by a date. Peers also name dates that this crate does not implement, and words that
//! are no dates at all; [`VersionWord`] tells these apart, since negotiation treats them differently.

use std::fmt;
use std::str::FromStr;

/// The two ways in which client and server agree on what they speak.
///
/// Follows `basic/versioning`, "Terminology".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Era {
    /// An `initialize` handshake opens a session (`2025-11-25` and earlier).
    Legacy,
    /// Every request carries version, identity and capabilities in `_meta` (`2026-07-28` and later).
    Modern,
}

impl Era {
    /// Returns the word of the specification: `legacy` or `modern`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A revision of the protocol that this crate implements, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Revision {
    /// The first published revision, with the HTTP+SSE transport.
    V2024_11_05,
    /// Brought Streamable HTTP and, for this revision alone, JSON-RPC batches.
    V2025_03_26,
    /// Brought elicitation, structured content and the `MCP-Protocol-Version` header.
    V2025_06_18,
    /// The last revision with a handshake.
    V2025_11_25,
    /// The first modern revision.
    V2026_07_28,
}

impl Revision {
    /// All revisions that this crate implements, oldest first.
    pub const ALL: &'static [Self] =
        &[Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest revision, which a client proposes first.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The newest revision that opens with a handshake.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// Returns the date that names this revision on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the era that this revision belongs to.
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// Tells whether requests of an established HTTP connection carry `MCP-Protocol-Version`.
    ///
    /// The header came with `2025-06-18`.
    pub fn has_version_header(self) -> bool {
        self >= Self::V2025_06_18
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Revision {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|revision| revision.as_str() == word)
            .ok_or_else(|| UnknownRevision { word: word.chars().take(64).collect() })
    }
}

/// A word that names no revision of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownRevision {
    /// What was given, cut to 64 characters.
    pub word: String,
}

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a revision of the protocol; known are ", self.word)?;
        for (at, revision) in Revision::ALL.iter().enumerate() {
            write!(f, "{}{revision}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRevision {}

/// What a peer's word for a version means to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionWord {
    /// A revision that this crate implements.
    Known(Revision),
    /// A date before the first modern revision that this crate does not implement, such as `2024-10-07`.
    Historical,
    /// A later date, or no date at all.
    Foreign,
}

impl VersionWord {
    /// Reads one word of a peer's list.
    pub fn read(word: &str) -> Self {
        if let Ok(revision) = word.parse() {
            return Self::Known(revision);
        }
        // Dates in this form sort as text.
        match is_date(word) && word < Revision::V2026_07_28.as_str() {
            true => Self::Historical,
            false => Self::Foreign,
        }
    }

    /// Tells whether the word lies before the modern era.
    pub fn is_historical(self) -> bool {
        match self {
            Self::Known(revision) => revision.era() == Era::Legacy,
            Self::Historical => true,
            Self::Foreign => false,
        }
    }
}

/// Tells whether a word has the form of a revision's name, `YYYY-MM-DD`.
pub fn is_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

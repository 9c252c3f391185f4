//! The version words that an answer lists, and what they add up to.

use crate::jsonrpc::RpcError;
use crate::object::Object;
use crate::version::{Era, Revision, VersionWord, is_date};

/// What a list of versions offers us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// A modern revision of ours; the newest such.
    Modern(Revision),
    /// Only historical versions, one of them ours; the newest such.
    LegacyOnly(Revision),
    /// A legacy revision of ours (the newest such) beside versions that are not ours and not historical.
    Mixed(Revision),
    /// Nothing that we speak.
    Nothing,
    /// No version at all.
    NoList,
}

impl Overlap {
    /// Compares a list with the revisions that we offer.
    pub(super) fn of<'a>(words: impl IntoIterator<Item = &'a str>, ours: &[Revision]) -> Self {
        let words: Vec<_> = words.into_iter().map(VersionWord::read).collect();
        let newest = |era| {
            let mutual = words.iter().filter_map(|word| match word {
                VersionWord::Known(revision) if revision.era() == era && ours.contains(revision) => {
                    Some(*revision)
                }
                _ => None,
            });
            mutual.max()
        };
        if words.is_empty() {
            return Self::NoList;
        }
        if let Some(revision) = newest(Era::Modern) {
            return Self::Modern(revision);
        }
        match newest(Era::Legacy) {
            Some(revision) if words.iter().all(|word| word.is_historical()) => Self::LegacyOnly(revision),
            Some(revision) => Self::Mixed(revision),
            None => Self::Nothing,
        }
    }

    /// Returns the newest legacy revision that both sides speak.
    pub(super) fn legacy(self) -> Option<Revision> {
        match self {
            Self::LegacyOnly(revision) | Self::Mixed(revision) => Some(revision),
            Self::Modern(_) | Self::Nothing | Self::NoList => None,
        }
    }
}

/// Returns the versions in an error's `data.supported`, which is where `-32022` lists them.
pub(super) fn listed(error: &RpcError) -> Vec<String> {
    let data = error.data.as_deref().and_then(Object::read);
    data.and_then(|data| data.strings("supported")).unwrap_or_default()
}

/// What an error's message says of versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The other versions that the message or the error's data names.
    pub(super) others: Vec<String>,
}

impl Complaint {
    /// Reads an error as "that revision is not supported", or as nothing of the kind.
    pub(super) fn read(error: &RpcError, attempted: Revision) -> Option<Self> {
        let message = error.message.to_ascii_lowercase();
        let refuses = ["unsupported", "not supported", "does not support", "isn't supported"];
        if !refuses.iter().any(|phrase| message.contains(phrase)) {
            return None;
        }
        let mut others = dates(&message);
        let names_it = match others.iter().position(|word| word == attempted.as_str()) {
            Some(at) => {
                others.remove(at);
                true
            }
            None => false,
        };
        others.extend(listed(error));
        // "Unsupported protocol version (supported versions: …)" names the attempt by listing what is not it.
        let lists_instead = message.contains("protocol version") && !others.is_empty();
        (names_it || lists_instead).then_some(Self { others })
    }

    /// Tells whether every version that is listed lies before the modern era.
    pub(super) fn is_historical(&self) -> bool {
        self.others.iter().all(|word| VersionWord::read(word).is_historical())
    }
}

/// Tells whether a message asks for a session or for the handshake, which only a legacy server does.
pub(super) fn asks_for_handshake(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["session id", "session-id", "sessionid", "initializ", "initialis", "no valid session", "missing session"]
        .iter()
        .any(|phrase| message.contains(phrase))
}

/// Finds the words of the form `YYYY-MM-DD` in a text, at most 32.
fn dates(text: &str) -> Vec<String> {
    const MOST: usize = 32;
    text.split(|c: char| !(c.is_ascii_digit() || c == '-'))
        .filter(|word| is_date(word))
        .take(MOST)
        .map(str::to_owned)
        .collect()
}

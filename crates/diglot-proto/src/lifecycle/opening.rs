//! What a client brings to a negotiation: its mode, its pin, its memory, and what the transport can do.

use std::fmt;

use crate::lifecycle::{Binding, Downgrade};
use crate::types::Discovery;
use crate::version::{Era, Revision};

/// Which eras a client may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// Probes for a modern server and falls back as the policy says.
    #[default]
    Auto,
    /// Never falls back: a legacy server is an error.
    Modern,
    /// Never probes.
    Legacy,
}

impl Mode {
    /// Returns the mode's name: `auto`, `modern` or `legacy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Modern => "modern",
            Self::Legacy => "legacy",
        }
    }
}

/// What an earlier negotiation with the same server found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Remembered {
    /// The server is modern: the probe is skipped and the first real request is the test.
    Modern {
        /// The revision that was agreed on.
        revision: Revision,
        /// What the server said of itself then.
        discovery: Box<Discovery>,
    },
    /// The server is legacy: the client goes straight to `initialize`.
    Legacy,
}

/// All that a negotiation hangs on before anything is sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Opening {
    /// The kind of wire.
    pub binding: Binding,
    /// Which eras the client may use.
    pub mode: Mode,
    /// The one revision that the client insists on, if any.
    pub pin: Option<Revision>,
    /// When the client falls back.
    pub downgrade: Downgrade,
    /// What is remembered of the server, if it is still worth something.
    pub remembered: Option<Remembered>,
    /// Whether the transport carries the legacy era only.
    pub legacy_transport: bool,
    /// Whether the transport may turn to the deprecated HTTP+SSE transport.
    pub http_sse: bool,
    /// Whether the transport can be opened a second time.
    pub reopens: bool,
}

impl Opening {
    /// Starts from the defaults: automatic mode, standard policy, nothing pinned, nothing remembered.
    pub fn new(binding: Binding) -> Self {
        Self {
            binding,
            mode: Mode::Auto,
            pin: None,
            downgrade: Downgrade::Standard,
            remembered: None,
            legacy_transport: false,
            http_sse: false,
            reopens: false,
        }
    }

    /// Checks that mode, pin and transport do not contradict each other (rule 9), before anything is sent.
    pub fn check(&self) -> Result<(), Contradiction> {
        match (self.mode, self.pin) {
            (Mode::Modern, Some(pin)) if pin.era() == Era::Legacy => Err(Contradiction::LegacyPin(pin)),
            (Mode::Legacy, Some(pin)) if pin.era() == Era::Modern => Err(Contradiction::ModernPin(pin)),
            (Mode::Modern, _) if self.legacy_transport => Err(Contradiction::LegacyTransport),
            (_, Some(pin)) if pin.era() == Era::Modern && self.legacy_transport => {
                Err(Contradiction::LegacyTransport)
            }
            _ => Ok(()),
        }
    }

    /// Tells whether the client may not fall back.
    pub(super) fn is_modern_only(&self) -> bool {
        self.mode == Mode::Modern || self.pin.is_some_and(|pin| pin.era() == Era::Modern)
    }

    /// Tells whether the client may not probe.
    pub(super) fn is_legacy_only(&self) -> bool {
        self.mode == Mode::Legacy
            || self.legacy_transport
            || self.pin.is_some_and(|pin| pin.era() == Era::Legacy)
    }

    /// Returns the revisions that the client would agree to.
    pub(super) fn offers(&self) -> Vec<Revision> {
        let allowed = |revision: &Revision| match (self.pin, revision.era()) {
            (Some(pin), _) => *revision == pin,
            (None, Era::Modern) => !self.is_legacy_only(),
            (None, Era::Legacy) => !self.is_modern_only(),
        };
        Revision::ALL.iter().copied().filter(allowed).collect()
    }
}

/// Settings that cannot both be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contradiction {
    /// Modern mode with a legacy revision pinned.
    LegacyPin(Revision),
    /// Legacy mode with a modern revision pinned.
    ModernPin(Revision),
    /// Modern mode, or a modern pin, over a transport that carries the legacy era only.
    LegacyTransport,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LegacyPin(pin) => {
                write!(f, "modern mode cannot use {pin}, which is a legacy revision; drop one of them")
            }
            Self::ModernPin(pin) => {
                write!(f, "legacy mode cannot use {pin}, which is a modern revision; drop one of them")
            }
            Self::LegacyTransport => f.write_str(
                "this transport carries the legacy era only; use another transport or let the mode be auto",
            ),
        }
    }
}

impl std::error::Error for Contradiction {}

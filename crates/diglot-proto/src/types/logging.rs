//! Log messages that a server sends to its client.

use serde_json::value::RawValue;

words! {
    /// Says how grave a log message is, by the words of RFC 5424.
    LoggingLevel {
        /// For whoever looks for a defect.
        Debug "debug",
        /// As usual.
        Info "info",
        /// As usual, and worth a look.
        Notice "notice",
        /// Something may go wrong.
        Warning "warning",
        /// Something went wrong.
        Error "error",
        /// A part has failed.
        Critical "critical",
        /// Someone must act at once.
        Alert "alert",
        /// The whole cannot be used.
        Emergency "emergency",
    }
}

impl LoggingLevel {
    /// Tells whether a message of this level is wanted by who asked for messages from `least` on.
    ///
    /// A level that nobody knows is wanted, and asking for one asks for everything.
    pub fn is_at_least(&self, least: &Self) -> bool {
        self.rank() >= least.rank().or(Some(0)) || self.rank().is_none()
    }

    /// Returns how grave the level is, from 0 for the least; nothing where nobody knows it.
    pub fn rank(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Notice => 2,
            Self::Warning => 3,
            Self::Error => 4,
            Self::Critical => 5,
            Self::Alert => 6,
            Self::Emergency => 7,
            Self::Other(_) => return None,
        })
    }
}

record! {
    /// The parameters of `logging/setLevel`, in the legacy era.
    SetLevelParams {
        /// The level from which on messages are wanted.
        required level: LoggingLevel = "level";
    } with meta
}

record! {
    /// The parameters of `notifications/message`.
    LogMessageParams {
        /// How grave it is.
        required level: LoggingLevel = "level";
        /// Which part of the server says it.
        optional logger: String = "logger";
        /// What is said, any JSON; `null` where a peer leaves it out.
        lenient data: Box<RawValue> as AnyValue = "data";
    } with meta
}

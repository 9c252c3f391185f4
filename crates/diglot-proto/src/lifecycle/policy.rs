//! The table of policies: what each makes of each row of evidence.
//!
//! One line a row, one column a policy. Rows that are settled for every policy carry the same word three times.

use std::fmt;
use std::sync::Arc;

use crate::lifecycle::{Evidence, Row};

/// When a client falls back from the modern era to the legacy one.
///
/// Only the answer to a probe is ever judged; an established connection is never downgraded.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Downgrade {
    /// Falls back only on explicit legacy evidence.
    ///
    /// For hosts that fear a downgrade attack or a wrong guess more than a failed connection.
    Conservative,
    /// Follows the specification, and what deployed servers do where it is silent.
    ///
    /// Who asks, how often, and whether the server is up are never evidence.
    #[default]
    Standard,
    /// Falls back on any failed discovery, except where that cannot help or is unsafe.
    Lenient,
    /// Asks a policy of the host's own.
    Custom(Arc<dyn DowngradePolicy>),
}

impl Downgrade {
    /// Makes a policy of a function over the evidence.
    ///
    /// ```
    /// use diglot_proto::lifecycle::{Downgrade, Judgement};
    ///
    /// // As the standard policy, but a server that answers 415 is not worth a second try.
    /// let policy = Downgrade::custom(|evidence, _row| match evidence.status {
    ///     Some(415) => Judgement::Refuse,
    ///     _ => Judgement::Defer(Downgrade::Standard),
    /// });
    /// # let _ = policy;
    /// ```
    pub fn custom(judge: impl Fn(&Evidence, Row) -> Judgement + Send + Sync + 'static) -> Self {
        struct Closure<F>(F);
        impl<F: Fn(&Evidence, Row) -> Judgement + Send + Sync + 'static> DowngradePolicy for Closure<F> {
            fn judge(&self, evidence: &Evidence, row: Row) -> Judgement {
                (self.0)(evidence, row)
            }
        }
        Self::Custom(Arc::new(Closure(judge)))
    }

    /// Returns the policy's name: `conservative`, `standard`, `lenient` or `custom`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Standard => "standard",
            Self::Lenient => "lenient",
            Self::Custom(_) => "custom",
        }
    }

    /// Judges a row: the table for the named policies, the host's word for its own.
    ///
    /// Rows that no policy may touch (a usable discovery, 401, 403, the network, redirects) are settled first.
    pub fn judge(&self, evidence: &Evidence, row: Row) -> Ruling {
        let standard = ruling(row, Column::Standard);
        match self {
            Self::Conservative => ruling(row, Column::Conservative),
            Self::Standard => standard,
            Self::Lenient => ruling(row, Column::Lenient),
            Self::Custom(_) if is_settled(row) => standard,
            Self::Custom(policy) => match policy.judge(evidence, row) {
                Judgement::FallBack => Ruling::FallBack,
                Judgement::Refuse => Ruling::Refused,
                // A policy that defers to another custom one would have no end in sight.
                Judgement::Defer(Self::Custom(_)) => standard,
                Judgement::Defer(named) => named.judge(evidence, row),
            },
        }
    }

    /// Tells whether a JSON-RPC error in a non-2xx reply counts whatever its id.
    pub(super) fn accepts_any_id(&self) -> bool {
        !matches!(self, Self::Conservative)
    }
}

impl fmt::Debug for Downgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A policy of the host's own.
pub trait DowngradePolicy: Send + Sync {
    /// Decides about one row of evidence, or defers to a named policy.
    fn judge(&self, evidence: &Evidence, row: Row) -> Judgement;
}

/// What a custom policy decides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Judgement {
    /// Falls back to `initialize`.
    FallBack,
    /// Refuses the downgrade.
    Refuse,
    /// Leaves the decision to a named policy; deferring to a custom one means the standard one.
    Defer(Downgrade),
}

/// What becomes of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ruling {
    /// The server is modern.
    Modern,
    /// Probes once more, at the revision that the server lists.
    ProbeAgain,
    /// Falls back to `initialize`.
    FallBack,
    /// The policy refuses the downgrade.
    Refused,
    /// Both sides have no version in common.
    NoMutualVersion,
    /// The server broke the specification, or says that we did.
    ProtocolError,
    /// The HTTP status is the error.
    HttpStatus,
    /// The endpoint is not MCP.
    NotMcp,
    /// Nothing came in time.
    Timeout,
    /// The process ended, or the pipe closed.
    Exited,
    /// The server wants credentials.
    Unauthorized,
    /// The server denies access.
    Forbidden,
    /// The server could not be reached.
    Unreachable,
    /// The server redirects to where we must not follow.
    Redirected,
}

impl Ruling {
    /// Returns the word that trails show.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::ProbeAgain => "probe-again",
            Self::FallBack => "legacy",
            Self::Refused => "downgrade-refused",
            Self::NoMutualVersion => "no-mutual-version",
            Self::ProtocolError => "protocol-error",
            Self::HttpStatus => "http-status",
            Self::NotMcp => "not-mcp",
            Self::Timeout => "timeout",
            Self::Exited => "process-exited",
            Self::Unauthorized => "auth-required",
            Self::Forbidden => "forbidden",
            Self::Unreachable => "connection-failed",
            Self::Redirected => "redirect-refused",
        }
    }
}

#[derive(Clone, Copy)]
enum Column {
    Conservative,
    Standard,
    Lenient,
}

/// Rows that follow from the specification or from safety, so that no policy is asked.
fn is_settled(row: Row) -> bool {
    matches!(
        row,
        Row::DiscoverModern
            | Row::VersionMutual
            | Row::VersionRefusedAgain
            | Row::Unauthorized
            | Row::Forbidden
            | Row::Unreachable
            | Row::Redirected
            | Row::ForeignReply
            | Row::UnknownResultType
    )
}

#[rustfmt::skip]
fn ruling(row: Row, column: Column) -> Ruling {
    use Ruling::{
        Exited, FallBack, Forbidden, HttpStatus, Modern, NoMutualVersion, NotMcp, ProbeAgain, ProtocolError, Redirected,
        Refused, Timeout, Unauthorized, Unreachable,
    };
    //                                 conservative     standard         lenient
    let by_policy = match row {
        Row::DiscoverModern        => [Modern,          Modern,          Modern],
        Row::VersionMutual         => [ProbeAgain,      ProbeAgain,      ProbeAgain],
        Row::VersionRefusedAgain   => [NoMutualVersion, NoMutualVersion, NoMutualVersion],
        Row::Unauthorized          => [Unauthorized,    Unauthorized,    Unauthorized],
        Row::Forbidden             => [Forbidden,       Forbidden,       Forbidden],
        Row::Unreachable           => [Unreachable,     Unreachable,     Unreachable],
        Row::Redirected            => [Redirected,      Redirected,      Redirected],
        Row::ForeignReply          => [ProtocolError,   ProtocolError,   ProtocolError],
        Row::UnknownResultType     => [ProtocolError,   ProtocolError,   ProtocolError],
        Row::TooLarge              => [ProtocolError,   ProtocolError,   FallBack],
        Row::EndpointStream        => [FallBack,        FallBack,        FallBack],

        Row::RpcLegacyCode         => [FallBack,        FallBack,        FallBack],
        Row::RpcNamesVersion       => [FallBack,        FallBack,        FallBack],
        Row::RpcOtherCode          => [Refused,         FallBack,        FallBack],
        Row::RpcModernComplaint    => [ProtocolError,   ProtocolError,   FallBack],
        Row::VersionListLegacy     => [FallBack,        FallBack,        FallBack],
        Row::VersionListMissing    => [FallBack,        FallBack,        FallBack],
        Row::VersionListMixed      => [NoMutualVersion, FallBack,        FallBack],
        Row::VersionListForeign    => [NoMutualVersion, NoMutualVersion, FallBack],
        Row::DiscoverLegacyOnly    => [FallBack,        FallBack,        FallBack],
        Row::ResultNotDiscover     => [Refused,         FallBack,        FallBack],
        Row::Http400Prevalidation  => [FallBack,        FallBack,        FallBack],
        Row::Http400Uncorrelated   => [Refused,         FallBack,        FallBack],
        Row::Http400Opaque         => [Refused,         FallBack,        FallBack],
        Row::HttpNotHere           => [FallBack,        FallBack,        FallBack],
        Row::Http404MethodUnknown  => [FallBack,        FallBack,        FallBack],
        Row::HttpRequestRefused    => [Refused,         FallBack,        FallBack],
        Row::HttpWhoOrWhen         => [HttpStatus,      HttpStatus,      HttpStatus],
        Row::HttpServerError       => [HttpStatus,      HttpStatus,      FallBack],
        Row::HttpNoAnswer          => [Refused,         FallBack,        FallBack],
        Row::HttpWebPage           => [NotMcp,          NotMcp,          FallBack],
        Row::HttpOtherJson         => [Refused,         FallBack,        FallBack],
        Row::SilencePipe           => [Timeout,         FallBack,        FallBack],
        Row::SilenceHttp           => [Timeout,         Timeout,         FallBack],
        Row::Exited                => [Exited,          FallBack,        FallBack],
    };
    match column {
        Column::Conservative => by_policy[0],
        Column::Standard     => by_policy[1],
        Column::Lenient      => by_policy[2],
    }
}

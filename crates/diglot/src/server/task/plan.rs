//! What a tool says of its calls as tasks.

use std::time::Duration;

use diglot_proto::types::TaskSupport;

/// Whether calls of a tool become tasks, and which.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) support: TaskSupport,
    pub(super) ttl: Option<Duration>,
    pub(super) poll_interval: Option<Duration>,
    /// Whether the handler says when the task begins.
    pub(super) starts_itself: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self { support: TaskSupport::Forbidden, ttl: None, poll_interval: None, starts_itself: false }
    }
}

impl Plan {
    /// Tells whether calls may become tasks.
    pub(crate) fn is_possible(&self) -> bool {
        matches!(self.support, TaskSupport::Optional | TaskSupport::Required)
    }
}

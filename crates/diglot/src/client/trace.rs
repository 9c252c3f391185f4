//! Where the trace context of requests comes from.

use std::fmt;
use std::sync::Arc;

use diglot_proto::meta::TraceContext;
use diglot_proto::types::Members;
use serde_json::value::RawValue;

/// What tells the trace context of the moment, if the host wants requests to carry one.
#[derive(Clone, Default)]
pub(super) struct TraceSource(Option<Arc<dyn Fn() -> TraceContext + Send + Sync>>);

impl TraceSource {
    pub(super) fn new(source: impl Fn() -> TraceContext + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(source)))
    }

    /// Returns the entries of `_meta` that a request gets now, but for those that it has itself.
    pub(super) fn entries(&self, meta: &Members) -> Vec<(&'static str, Box<RawValue>)> {
        let context = self.0.as_ref().map(|source| source()).unwrap_or_default();
        let mut entries = context.entries();
        entries.retain(|(key, _)| meta.find(key).is_none());
        entries
    }
}

impl fmt::Debug for TraceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "TraceSource(set)" } else { "TraceSource(unset)" })
    }
}

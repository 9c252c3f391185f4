//! How an MCP endpoint is served over HTTP: limits, guards, and how callers are told apart.

use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;

use crate::http::serve::guard::Guard;
use crate::server::session_store::{SessionLimits, SessionStore};

/// Tells who sends a request.
pub(super) type Principal = Arc<dyn Fn(&Parts) -> Option<String> + Send + Sync>;

/// Where the deprecated transport is served.
#[derive(Clone)]
pub(super) struct HttpSsePaths {
    pub(super) stream: String,
    pub(super) messages: String,
}

/// All settings of an endpoint.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) body_limit: usize,
    pub(super) guard: Guard,
    /// Nothing where legacy requests are answered without sessions.
    pub(super) sessions: Option<SessionLimits>,
    /// The paths of the deprecated transport, where it is served.
    pub(super) http_sse: Option<HttpSsePaths>,
    pub(super) store: Option<Arc<dyn SessionStore>>,
    pub(super) principal: Option<Principal>,
    /// How long an event stream may be quiet.
    pub(super) silence: Duration,
    /// How long a body may take to come.
    pub(super) body_time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            body_limit: 4 * 1024 * 1024,
            guard: Guard::default(),
            sessions: Some(SessionLimits::default()),
            http_sse: None,
            store: None,
            principal: None,
            silence: Duration::from_secs(15),
            body_time: Duration::from_secs(60),
        }
    }
}

//! The MCP endpoint as a tower service, and its options.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use tower_service::Service;

use crate::future::BoxFuture;
use crate::http::adapter::Body;
use crate::http::serve::collect::{NoBody, collect};
use crate::http::serve::endpoint::Endpoint;
use crate::http::serve::guard::Allowed;
use crate::http::serve::settings::{HttpSsePaths, Settings};
use crate::server::Server;
use crate::server::core::Core;
use crate::server::session_store::{SessionLimits, SessionStore};

/// An MCP endpoint of both eras: a tower service for axum, hyper, and whatever takes such services.
///
/// Handlers run inside the future of the response, so that layers such as timeouts and limits hold for them. It needs
/// a tokio runtime. It answers whatever path it is called for.
///
/// Requests whose `Host` or `Origin` names another machine are refused unless they are allowed, since a web page may be
/// behind them; a server that is reached by a name of its own allows that name.
///
/// ```
/// use diglot::Server;
///
/// let server = Server::new("calculator", "1.0.0");
/// let service = server.into_http_service().allowed_hosts(["mcp.example.com"]).body_limit(1024 * 1024);
/// // axum: Router::new().route_service("/mcp", service)
/// # drop(service);
/// ```
#[derive(Clone)]
pub struct HttpService {
    core: Arc<Core>,
    settings: Arc<Settings>,
    /// Made at the first request, after which the options stand.
    endpoint: Arc<std::sync::OnceLock<Arc<Endpoint>>>,
}

impl HttpService {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self { core, settings: Arc::default(), endpoint: Arc::default() }
    }

    /// Changes the settings, which no earlier clone shares.
    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(self.settings_mut());
        self
    }

    /// Sets the largest body of a request, in bytes: 4 MiB unless set. A larger one is answered with 413.
    #[must_use]
    pub fn body_limit(self, bytes: usize) -> Self {
        self.set(|settings| settings.body_limit = bytes)
    }

    /// Sets how long the body of a request may take to come: 60 s unless set. A slower one is answered with 408.
    #[must_use]
    pub fn body_timeout(self, longest: Duration) -> Self {
        self.set(|settings| settings.body_time = longest)
    }

    /// Allows hosts besides the names of this machine: `mcp.example.com` with any port, or one with its port.
    #[must_use]
    pub fn allowed_hosts(self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.set(|settings| settings.guard.hosts.add(hosts))
    }

    /// Allows the pages of an origin besides those of this machine: `https://app.example.com`, as browsers write it.
    #[must_use]
    pub fn allowed_origins(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.set(|settings| settings.guard.origins.add(origins))
    }

    /// Allows every host, as behind a proxy that checks it.
    #[must_use]
    pub fn any_host(self) -> Self {
        self.set(|settings| settings.guard.hosts = Allowed::Any)
    }

    /// Allows the pages of every origin. They can then act as the user does, whoever made them.
    #[must_use]
    pub fn any_origin(self) -> Self {
        self.set(|settings| settings.guard.origins = Allowed::Any)
    }

    /// Sets how many legacy sessions there may be, how long, and what they keep.
    #[must_use]
    pub fn sessions(self, limits: SessionLimits) -> Self {
        self.set(|settings| settings.sessions = Some(limits))
    }

    /// Keeps the records of legacy sessions where other processes find them too.
    #[must_use]
    pub fn session_store(self, store: impl SessionStore) -> Self {
        self.set(|settings| settings.store = Some(Arc::new(store)))
    }

    /// Answers each legacy request by itself, without sessions.
    ///
    /// Handlers can then neither ask a legacy client nor log to it.
    #[must_use]
    pub fn stateless_legacy(self) -> Self {
        self.set(|settings| settings.sessions = None)
    }

    /// Serves the deprecated transport of revision 2024-11-05 as well: its stream and its messages have paths of their own,
    /// such as `/sse` and `/messages`.
    ///
    /// A router has to lead these paths here. Where a proxy serves them below a prefix, they are written with it.
    #[must_use]
    pub fn http_sse(self, stream: &str, messages: &str) -> Self {
        let path = |path: &str| format!("/{}", path.trim_matches('/'));
        let paths = HttpSsePaths { stream: path(stream), messages: path(messages) };
        self.set(|settings| settings.http_sse = Some(paths))
    }

    /// Tells whether a path is one of the deprecated transport.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.settings.http_sse.as_ref().is_some_and(|paths| path == paths.stream || path == paths.messages)
    }

    /// Sets how long an event stream may be quiet before a comment keeps it alive: 15 s unless set.
    ///
    /// A request without an answer so far becomes a stream then, so that proxies see that it is alive.
    #[must_use]
    pub fn keep_alive(self, silence: Duration) -> Self {
        self.set(|settings| settings.silence = silence)
    }

    /// Tells who sends a request, by its head: legacy sessions and request states are then good for that caller only.
    ///
    /// Something before the service has to have checked what the head says.
    #[must_use]
    pub fn principal_from(
        self,
        principal: impl Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.set(|settings| settings.principal = Some(Arc::new(principal)))
    }

    /// Answers a request. What follows the collecting of the body is the same for every type of body, and compiled once.
    pub(super) fn respond<B>(
        &self,
        request: Request<B>,
    ) -> BoxFuture<'static, Result<Response<Body>, Infallible>>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
    {
        let (parts, body) = request.into_parts();
        let body = collect(body, self.settings.body_limit, self.settings.body_time);
        answer(self.endpoint().clone(), parts, Box::pin(body))
    }

    /// Ends what listens, in good order.
    pub(super) fn end_streams(&self) {
        self.core.hub.shut_down();
    }

    /// Cancels the tasks that run in this process.
    pub(super) async fn end_tasks(&self) {
        self.core.tasks.end_and_wait().await;
    }

    /// Ends every legacy session of this process.
    pub(super) fn end_sessions(&self) {
        if let Some(sessions) = self.endpoint.get().and_then(|endpoint| endpoint.sessions.as_ref()) {
            sessions.end_all();
        }
    }

    /// Returns the settings, for a listener that knows more than the service.
    pub(super) fn settings_mut(&mut self) -> &mut Settings {
        self.endpoint = Arc::default();
        Arc::make_mut(&mut self.settings)
    }

    /// Returns what answers requests, from now on with the options as they are.
    fn endpoint(&self) -> &Arc<Endpoint> {
        self.endpoint.get_or_init(|| Endpoint::new(self.core.clone(), self.settings.clone()))
    }
}

impl From<Server> for HttpService {
    fn from(server: Server) -> Self {
        server.into_http_service()
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.respond(request)
    }
}

fn answer(
    endpoint: Arc<Endpoint>,
    parts: Parts,
    body: BoxFuture<'static, Result<Bytes, NoBody>>,
) -> BoxFuture<'static, Result<Response<Body>, Infallible>> {
    Box::pin(async move { Ok(endpoint.answer(parts, body).await) })
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("body_limit", &self.settings.body_limit)
            .field("guard", &self.settings.guard)
            .field("sessions", &self.settings.sessions)
            .finish_non_exhaustive()
    }
}

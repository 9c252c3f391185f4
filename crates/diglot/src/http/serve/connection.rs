//! One connection of a listener: HTTP/1.1 or HTTP/2, an end when it is idle, and an end in good order.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::future::BoxFuture;
use crate::http::adapter::{Body, BoxError};
use crate::http::serve::activity::{Activity, Busy};
use crate::http::serve::patience::Patient;
use crate::http::serve::service::HttpService;

/// How far a listener is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Serving,
    /// What is under way may end.
    Closing,
    /// Nothing may go on.
    Closed,
}

/// How long a connection may make the server wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Until the head of the first request has come.
    pub(super) head: Duration,
    /// Between one request and the next.
    pub(super) idle: Duration,
    /// While the client takes nothing of what is sent.
    pub(super) write: Duration,
}

/// What the connections of a listener share.
pub(super) struct Site {
    pub(super) service: HttpService,
    pub(super) path: String,
    pub(super) times: Times,
}

/// Serves a connection to its end, which a listener that is dropped brings at once.
pub(super) async fn serve(
    io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    site: Arc<Site>,
    mut phase: watch::Receiver<Phase>,
    activity: Arc<Activity>,
) {
    let times = site.times;
    let routed = Routed { site, activity: activity.clone() };
    let builder = Builder::new(TokioExecutor::new());
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Patient::new(io, times.write)), routed));
    let mut last = (activity.count(), Instant::now());
    let mut timer = pin!(sleep_until(Instant::now() + times.head));
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                }
                return;
            }
            changed = phase.changed() => match changed.map(|()| *phase.borrow_and_update()) {
                Ok(Phase::Serving) => {}
                Ok(Phase::Closing) => connection.as_mut().graceful_shutdown(),
                Ok(Phase::Closed) | Err(_) => return,
            },
            () = activity.dismissed() => return,
            () = timer.as_mut() => {
                let now = Instant::now();
                if activity.is_busy() || activity.count() != last.0 {
                    last = (activity.count(), now);
                } else if last.0 == 0 || now.duration_since(last.1) >= times.idle {
                    return;
                }
                // It is looked at twice in a period, which is exact enough.
                timer.as_mut().reset(now + times.idle / 2);
            }
        }
    }
}

/// The service of one connection.
struct Routed {
    site: Arc<Site>,
    activity: Arc<Activity>,
}

impl hyper::service::Service<Request<Incoming>> for Routed {
    type Response = Response<Watched>;
    type Error = Infallible;
    type Future = Routing;

    fn call(&self, request: Request<Incoming>) -> Routing {
        let path = request.uri().path();
        let is_endpoint = path == self.site.path || path.strip_suffix('/') == Some(&*self.site.path);
        let is_here = is_endpoint || self.site.service.has_path(path);
        let answer = match is_here {
            true => self.site.service.respond(request),
            false => nowhere(&self.site.path),
        };
        Routing { answer, busy: Some(self.activity.begin()) }
    }
}

fn nowhere(path: &str) -> BoxFuture<'static, Result<Response<Body>, Infallible>> {
    let mut response =
        Response::new(Body::from(format!("Not found: the MCP endpoint is at {path}\n").into_bytes()));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    Box::pin(std::future::ready(Ok(response)))
}

/// A response on its way.
struct Routing {
    answer: BoxFuture<'static, Result<Response<Body>, Infallible>>,
    busy: Option<Busy>,
}

impl Future for Routing {
    type Output = Result<Response<Watched>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = std::task::ready!(self.answer.as_mut().poll(context));
        let busy = self.busy.take();
        Poll::Ready(answer.map(|response| response.map(|body| Watched { body, _busy: busy })))
    }
}

/// A body that says how long it lasts.
struct Watched {
    body: Body,
    _busy: Option<Busy>,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

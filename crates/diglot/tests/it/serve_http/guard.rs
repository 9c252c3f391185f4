//! Who may ask at all: hosts, origins, and bodies that are too large or too slow.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use diglot::http::HttpService;
use http::{Request, Version};
use http_body::Frame;
use http_body_util::Full;
use serde_json::{Value, json};
use tower_service::Service;

use super::desk::{Desk, ask_for, call, modern_post, raw_post};

fn add() -> Value {
    call(1, "add", json!({ "a": 1, "b": 2 }))
}

async fn status(service: &HttpService, headers: &[(&str, &str)]) -> u16 {
    ask_for(service, modern_post(&add(), headers)).await.status
}

#[tokio::test]
async fn a_page_of_another_machine_is_refused_with_advice() {
    let service = Desk::new().service();
    assert_eq!(
        status(&service, &[("host", "127.0.0.1:8000"), ("origin", "http://localhost:6274")]).await,
        200
    );
    assert_eq!(status(&service, &[("host", "")]).await, 200);
    for (headers, named, advice) in [
        ([("host", "evil.example.com"), ("origin", "")], "'evil.example.com'", "allowed_hosts"),
        (
            [("host", "localhost"), ("origin", "http://evil.example.com")],
            "'http://evil.example.com'",
            "allowed_origins",
        ),
        ([("host", "localhost"), ("origin", "null")], "'null'", "allowed_origins"),
    ] {
        let answer = ask_for(&service, modern_post(&add(), &headers)).await;
        assert_eq!((answer.status, answer.code()), (403, -32600));
        let json = answer.json();
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains(named) && message.contains(advice), "{message}");
        assert_eq!(json.get("id"), None);
    }
}

#[tokio::test]
async fn what_is_allowed_passes() {
    let foreign = [("host", "mcp.example.com"), ("origin", "https://app.example.com")];
    let service = Desk::new().service();
    assert_eq!(status(&service, &foreign).await, 403);
    let hosts = service.clone().allowed_hosts(["mcp.example.com"]);
    assert_eq!(status(&hosts, &foreign).await, 403);
    assert_eq!(status(&hosts.allowed_origins(["https://app.example.com"]), &foreign).await, 200);
    assert_eq!(status(&service.any_host().any_origin(), &foreign).await, 200);
}

#[tokio::test]
async fn the_authority_of_http_2_is_a_host() {
    let service = Desk::new().service();
    let mut request = modern_post(&add(), &[("host", "")]);
    *request.uri_mut() = "http://evil.example.com/mcp".parse().unwrap();
    *request.version_mut() = Version::HTTP_2;
    assert_eq!(ask_for(&service, request).await.status, 403);
}

#[tokio::test]
async fn a_body_over_the_limit_is_answered_with_413() {
    let service = Desk::new().service().body_limit(1_000);
    let answer = ask_for(&service, raw_post(vec![b' '; 1_001], &[])).await;
    assert_eq!((answer.status, answer.code()), (413, -32600));
    assert!(answer.text.contains("1000 bytes"), "{}", answer.text);
    let answer = ask_for(&service, raw_post(vec![b' '; 1_000], &[])).await;
    assert_eq!((answer.status, answer.code()), (400, -32700));
}

/// A body in pieces, of unknown length, which may never end.
struct Pieces {
    left: Vec<Bytes>,
    never_ends: bool,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.left.pop() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.never_ends => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

async fn status_of_pieces(service: &HttpService, pieces: usize, never_ends: bool) -> u16 {
    let left = vec![Bytes::from_static(&[b' '; 100]); pieces];
    let request = modern_post(&add(), &[]).map(|_| Pieces { left, never_ends });
    service.clone().call(request).await.unwrap().status().as_u16()
}

#[tokio::test(start_paused = true)]
async fn a_body_of_unknown_length_is_held_to_the_limit_and_to_a_time() {
    let service = Desk::new().service().body_limit(1_000);
    assert_eq!(status_of_pieces(&service, 10, false).await, 400);
    assert_eq!(status_of_pieces(&service, 11, false).await, 413);
    assert_eq!(status_of_pieces(&service, 21, true).await, 413);
    assert_eq!(status_of_pieces(&service, 3, true).await, 408);
}

#[test]
fn the_service_fits_where_axum_takes_one() {
    fn route_service<T>(_: T)
    where
        T: Service<Request<Full<Bytes>>, Error = Infallible> + Clone + Send + Sync + 'static,
        T::Response: Send,
        T::Future: Send + 'static,
    {
    }
    route_service(Desk::new().service());
}

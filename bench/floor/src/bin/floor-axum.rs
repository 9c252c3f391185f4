//! The floor over HTTP: one route of axum.

use std::error::Error;

use axum::body::Body;
use axum::response::Response;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use bytes::Bytes;
use floor::{Answer, Mailbox};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // It only costs time if it fails.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, axum::Router::new().route("/mcp", post(serve))).await?;
    Ok(())
}

async fn serve(body: Bytes) -> Response {
    match floor::answer(&body) {
        Answer::Message(message) => respond(StatusCode::OK, "application/json", message.into()),
        Answer::Stream(first) => {
            respond(StatusCode::OK, "text/event-stream", Body::new(Mailbox::open(first)))
        }
        Answer::Nothing => respond(StatusCode::ACCEPTED, "text/plain", Body::empty()),
    }
}

fn respond(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

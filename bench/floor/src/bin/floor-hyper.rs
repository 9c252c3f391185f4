//! The floor over HTTP: a bare hyper service.

use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use floor::{Answer, Mailbox};
use http::{Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

type Body = Either<Full<Bytes>, Mailbox>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            // A connection that breaks is its client's loss.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(serve)).await;
        });
    }
}

async fn serve(request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    if request.method() == Method::GET {
        let first = Bytes::from_static(b": open\n\n");
        return Ok(respond(StatusCode::OK, "text/event-stream", Either::Right(Mailbox::open(first))));
    }
    let Ok(body) = request.into_body().collect().await else {
        return Ok(respond(StatusCode::BAD_REQUEST, "text/plain", Either::Left(Full::default())));
    };
    Ok(match floor::answer(&body.to_bytes()) {
        Answer::Message(message) => {
            respond(StatusCode::OK, "application/json", Either::Left(Full::new(message.into())))
        }
        Answer::Stream(first) => {
            respond(StatusCode::OK, "text/event-stream", Either::Right(Mailbox::open(first)))
        }
        Answer::Nothing => respond(StatusCode::ACCEPTED, "text/plain", Either::Left(Full::default())),
    })
}

fn respond(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(kind));
    response
}

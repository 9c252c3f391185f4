//! A server over HTTP on hyper and a client that calls it.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::net::TcpListener;

/// The line that changes between two builds.
const LINE: Option<&str> = option_env!("BENCH_LINE");

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    params: Say,
}

#[derive(Deserialize)]
struct Say {
    text: String,
    count: usize,
}

#[derive(Serialize)]
struct Said<'a> {
    id: &'a RawValue,
    result: String,
}

async fn serve(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let answer = serde_json::from_slice(&body).and_then(|call: Call<'_>| {
        serde_json::to_vec(&Said { id: call.id, result: call.params.text.repeat(call.params.count) })
    });
    Ok(Response::new(answer.unwrap_or_default().into()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    eprintln!("{}", LINE.unwrap_or("0"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(serve));
            tokio::spawn(serving);
        }
    });
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let call = r#"{"id":1,"params":{"text":"hello","count":2}}"#;
    let response = client.request(Request::post(url).body(call.into())?).await?;
    println!("{}", String::from_utf8_lossy(&response.into_body().collect().await?.to_bytes()));
    Ok(())
}

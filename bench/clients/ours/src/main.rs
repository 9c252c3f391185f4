//! A client on Diglot: `stock URL`, `hyper URL` (over a client like the floor's) or `stdio PROGRAM [ARGUMENTS…]`.

use bytes::Bytes;
use control::{Caller, Failure};
use diglot::http::{Body, BoxError, HttpClient};
use diglot::{ChildProcess, Client, StreamableHttp};
use http_body_util::Full;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::json;

/// The floor's HTTP client, given to Diglot.
struct Hyper(hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>);

impl Hyper {
    fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector))
    }
}

impl HttpClient for Hyper {
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
        Ok(self.0.request(request.map(Full::new)).await?.map(Body::new))
    }
}

struct Ours(Client);

impl Caller for Ours {
    async fn call(&self) -> Result<(), Failure> {
        let result = self.0.call_tool("tool_25", json!({ "text": "hello, world", "count": 1 })).await?;
        match result.text().contains("hello, world") {
            true => Ok(()),
            false => Err(format!("a bad answer: {result:?}").into()),
        }
    }
}

fn main() -> Result<(), Failure> {
    control::run(async |arguments: &[String]| {
        let builder = Client::builder("bench", "1.0.0");
        let client = match arguments.split_first() {
            Some((kind, [url])) if kind == "stock" => builder.connect(StreamableHttp::new(url)?).await?,
            Some((kind, [url])) if kind == "hyper" => {
                builder.connect(StreamableHttp::over(url, Hyper::new())?).await?
            }
            Some((kind, [program, words @ ..])) if kind == "stdio" => {
                builder.connect(ChildProcess::new(program).args(words)).await?
            }
            _ => {
                return Err("usage: client-ours stock URL | hyper URL | stdio PROGRAM [ARGUMENTS…]".into());
            }
        };
        Ok(Ours(client))
    })
}

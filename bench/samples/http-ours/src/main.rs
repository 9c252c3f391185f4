//! A server over HTTP on Diglot and a client that calls it over an HTTP client of its own, without TLS.

use bytes::Bytes;
use diglot::http::{Body, BoxError, HttpClient, HttpServer};
use diglot::{Client, Server, StreamableHttp, tools};
use http_body_util::Full;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The line that changes between two builds.
const LINE: Option<&str> = option_env!("BENCH_LINE");

/// What to say.
#[derive(Deserialize, JsonSchema)]
struct Say {
    /// The text.
    #[schemars(length(max = 100_000))]
    text: String,
    /// How many times.
    #[schemars(range(min = 1, max = 100))]
    count: u32,
}

/// Fifty tools.
struct Fifty;

macro_rules! fifty {
    ($($name:ident)+) => {
        #[tools]
        impl Fifty {
            $(
                /// Says a text a number of times.
                #[tool]
                async fn $name(&self, #[args] say: Say) -> String {
                    say.text.repeat(say.count as usize)
                }
            )+
        }
    };
}

fifty! {
    tool_00 tool_01 tool_02 tool_03 tool_04 tool_05 tool_06 tool_07 tool_08 tool_09
    tool_10 tool_11 tool_12 tool_13 tool_14 tool_15 tool_16 tool_17 tool_18 tool_19
    tool_20 tool_21 tool_22 tool_23 tool_24 tool_25 tool_26 tool_27 tool_28 tool_29
    tool_30 tool_31 tool_32 tool_33 tool_34 tool_35 tool_36 tool_37 tool_38 tool_39
    tool_40 tool_41 tool_42 tool_43 tool_44 tool_45 tool_46 tool_47 tool_48 tool_49
}

/// An HTTP client.
struct Hyper(hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>);

impl HttpClient for Hyper {
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
        Ok(self.0.request(request.map(Full::new)).await?.map(Body::new))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("fifty", LINE.unwrap_or("0")).tools(Fifty);
    let listener = HttpServer::bind(server, ([127, 0, 0, 1], 0)).await?;
    let url = listener.url();
    let serving = tokio::spawn(listener.serve());
    let client = Hyper(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build_http());
    let client = Client::builder("caller", "0.0.0").connect(StreamableHttp::over(&url, client)?).await?;
    let result = client.call_tool("tool_25", json!({ "text": "hello", "count": 2 })).await?;
    println!("{}", result.text());
    serving.abort();
    Ok(())
}

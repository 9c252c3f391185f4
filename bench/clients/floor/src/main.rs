//! The floor of clients: `hyper URL`, `reqwest URL` or `pipe PROGRAM [ARGUMENTS…]`.
//!
//! A request is a text with a number put in, and of the answer only the envelope is read.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use control::{Caller, Failure};
use http::header::{ACCEPT, CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use serde_json::value::RawValue;

static NEXT: AtomicU64 = AtomicU64::new(1);

const ACCEPTED: &str = "application/json, text/event-stream";

/// Makes the next call.
fn body() -> String {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"tool_25","arguments":{{"text":"hello, world","count":1}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// Checks that an answer is a result.
fn check(answer: &[u8]) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let response: Response<'_> = serde_json::from_slice(answer)?;
    match response.result.get().contains("hello, world") {
        true => Ok(()),
        false => Err(format!("a bad answer: {}", response.result).into()),
    }
}

enum Floor {
    Hyper(Client<HttpConnector, Full<Bytes>>, http::Uri),
    Reqwest(reqwest::Client, String),
    Pipe(Mutex<Pipe>),
}

struct Pipe {
    _server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipe {
    fn open(words: &[String]) -> Result<Self, Failure> {
        let (program, arguments) = words.split_first().ok_or("no program is named")?;
        let mut server =
            Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = server.stdin.take().ok_or("no input")?;
        let output = BufReader::with_capacity(64 * 1024, server.stdout.take().ok_or("no output")?);
        Ok(Self { _server: server, input, output })
    }

    /// Makes so many calls in one go.
    fn calls(&mut self, count: u64) -> Result<(), Failure> {
        let mut lines = String::new();
        for _ in 0..count {
            lines.push_str(&body());
            lines.push('\n');
        }
        self.input.write_all(lines.as_bytes())?;
        let mut line = Vec::new();
        for _ in 0..count {
            line.clear();
            self.output.read_until(b'\n', &mut line)?;
            check(&line)?;
        }
        Ok(())
    }
}

impl Caller for Floor {
    async fn call(&self) -> Result<(), Failure> {
        match self {
            Self::Hyper(client, uri) => {
                let request = http::Request::post(uri)
                    .header(CONTENT_TYPE, "application/json")
                    .header(ACCEPT, ACCEPTED)
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", "tool_25")
                    .body(Full::from(body()))?;
                let response = client.request(request).await?;
                check(&response.into_body().collect().await?.to_bytes())
            }
            Self::Reqwest(client, url) => {
                let request = client
                    .post(url)
                    .header(CONTENT_TYPE, "application/json")
                    .header(ACCEPT, ACCEPTED)
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", "tool_25");
                check(&request.body(body()).send().await?.bytes().await?)
            }
            Self::Pipe(pipe) => pipe.lock().unwrap_or_else(PoisonError::into_inner).calls(1),
        }
    }

    async fn at_once(self: Arc<Self>, width: u64, count: u64) -> Result<(), Failure> {
        if let Self::Pipe(pipe) = &*self {
            let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
            return (0..count / width).try_for_each(|_| pipe.calls(width));
        }
        let tasks: Vec<_> = (0..width)
            .map(|_| {
                let caller = self.clone();
                tokio::spawn(async move {
                    for _ in 0..count / width {
                        caller.call().await?;
                    }
                    Ok::<(), Failure>(())
                })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    control::run(async |arguments: &[String]| match arguments.split_first() {
        Some((kind, [url])) if kind == "hyper" => {
            let mut connector = HttpConnector::new();
            connector.set_nodelay(true);
            Ok(Floor::Hyper(Client::builder(TokioExecutor::new()).build(connector), url.parse()?))
        }
        Some((kind, [url])) if kind == "reqwest" => {
            Ok(Floor::Reqwest(reqwest::Client::builder().tcp_nodelay(true).build()?, url.clone()))
        }
        Some((kind, words)) if kind == "pipe" => Ok(Floor::Pipe(Mutex::new(Pipe::open(words)?))),
        _ => Err("usage: client-floor hyper URL | reqwest URL | pipe PROGRAM [ARGUMENTS…]".into()),
    })
}

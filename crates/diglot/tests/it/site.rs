//! A server of TCP connections that a test scripts, for what happens to a whole client.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What a server writes to a request, and whether the connection goes on after it.
pub(crate) enum Reply {
    Then(Vec<u8>),
    /// The connection ends with these bytes.
    Last(Vec<u8>),
    /// The connection stays open, and nothing follows these bytes.
    Stuck(Vec<u8>),
}

/// Starts a server, and returns the address of its endpoint. Its function takes the message of each request.
pub(crate) async fn serve(reply: impl Fn(Value) -> Reply + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let reply = Arc::new(reply);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let reply = reply.clone();
            tokio::spawn(async move { talk(stream, &*reply).await });
        }
    });
    format!("http://{address}/mcp")
}

/// Writes a response of JSON.
pub(crate) fn json(body: impl std::fmt::Display) -> Reply {
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    Reply::Then(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

/// Serves one connection; whatever fails, the client went away, as it may.
async fn talk(stream: TcpStream, reply: &(dyn Fn(Value) -> Reply + Send + Sync)) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let message = hear(&mut stream).await?;
        match reply(message) {
            Reply::Then(bytes) => stream.write_all(&bytes).await.ok()?,
            Reply::Last(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                return stream.shutdown().await.ok();
            }
            Reply::Stuck(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                return stream.read_to_end(&mut Vec::new()).await.ok().map(drop);
            }
        }
    }
}

async fn hear(stream: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        match line.strip_prefix("content-length:") {
            Some(value) => length = value.trim().parse().ok()?,
            None if line.is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(serde_json::from_slice(&body).unwrap_or_default())
}

//! A gateway before an HTTP server: it takes a request, may pass it on, and spoils the answer.

use std::sync::Arc;

use diglot::http::HttpServer;
use diglot::server::Server;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;

use super::fault::{Chance, Fault, OF_HTTP};

/// What a gateway says in the place of a server.
const PAGE: &str = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

/// The headers that a gateway may lose on the way.
const LOST: [&str; 3] = ["mcp-session-id", "content-type", "mcp-protocol-version"];

/// A gateway with the server behind it.
pub(super) struct Gateway {
    chance: Arc<Chance>,
    start: Box<dyn Fn() -> Server + Send + Sync>,
    running: Mutex<Running>,
    /// Told of each answer that has passed.
    passed: Notify,
}

/// The server of the moment: where it is, and the task that is it.
struct Running {
    address: String,
    task: JoinHandle<()>,
}

impl Running {
    async fn start(server: Server) -> Self {
        let listener = HttpServer::bind(server, ([127, 0, 0, 1], 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let task = tokio::spawn(async move { listener.serve().await.unwrap() });
        Self { address, task }
    }
}

impl Gateway {
    /// Starts a gateway, and returns the address of the endpoint behind it.
    pub(super) async fn start(
        chance: Arc<Chance>,
        start: impl Fn() -> Server + Send + Sync + 'static,
    ) -> String {
        let running = Mutex::new(Running::start(start()).await);
        let gateway = Arc::new(Self { chance, start: Box::new(start), running, passed: Notify::new() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let gateway = gateway.clone();
                // Whatever fails, one of both ends has gone away, as it may.
                tokio::spawn(async move { gateway.pass(stream).await });
            }
        });
        format!("http://{address}/mcp")
    }

    /// Passes one request and its answer; the connection ends with it.
    async fn pass(&self, stream: TcpStream) -> Option<()> {
        let mut client = BufReader::new(stream);
        let mut request = Request::read(&mut client).await?;
        let fault = self.chance.fault(OF_HTTP);
        match fault {
            Fault::Swallow => return client.read_to_end(&mut Vec::new()).await.ok().map(drop),
            Fault::Unavailable => return page(&mut client, "503 Service Unavailable").await,
            Fault::Restart => {
                let mut running = self.running.lock().await;
                running.task.abort();
                *running = Running::start((self.start)()).await;
            }
            Fault::Strip => request.strip(LOST[self.chance.below(LOST.len())]),
            _ => {}
        }
        let address = self.running.lock().await.address.clone();
        let mut server = BufReader::new(TcpStream::connect(address).await.ok()?);
        request.write(&mut server).await?;
        if fault == Fault::BadGateway {
            // The request was carried out, or not: who knows.
            server.fill_buf().await.ok()?;
            return page(&mut client, "502 Bad Gateway").await;
        }
        self.answer(fault, &mut server, &mut client).await
    }

    /// Passes an answer as it comes.
    async fn answer(
        &self,
        fault: Fault,
        server: &mut BufReader<TcpStream>,
        client: &mut BufReader<TcpStream>,
    ) -> Option<()> {
        let mut head = head(server).await?;
        match fault {
            Fault::Strip => {
                let lost = LOST[self.chance.below(LOST.len())];
                head.retain(|line| !is_named(line, lost));
            }
            Fault::Noise => head.insert(1, "X-Noise: \u{fffd}\u{1f4a5}\r\n".to_owned()),
            Fault::Delay => self.wait(50).await,
            Fault::Reorder => {
                let passed = self.passed.notified();
                tokio::select! {
                    () = passed => {}
                    () = self.wait(2_000) => {}
                }
            }
            _ => {}
        }
        client.write_all(head.concat().as_bytes()).await.ok()?;
        loop {
            let chunk = server.fill_buf().await.ok()?.to_vec();
            if chunk.is_empty() {
                break;
            }
            server.consume(chunk.len());
            match fault {
                // What is cut ends in a reset, or in an end that looks like any other.
                Fault::Cut | Fault::Truncate => {
                    let kept = self.chance.below(chunk.len());
                    client.write_all(&chunk[..kept]).await.ok()?;
                    if fault == Fault::Truncate {
                        client.shutdown().await.ok()?;
                    }
                    return None;
                }
                Fault::Split => {
                    for byte in chunk {
                        client.write_all(&[byte]).await.ok()?;
                        client.flush().await.ok()?;
                        tokio::task::yield_now().await;
                    }
                }
                Fault::Duplicate => {
                    client.write_all(&chunk).await.ok()?;
                    client.write_all(&chunk).await.ok()?;
                }
                _ => client.write_all(&chunk).await.ok()?,
            }
        }
        self.passed.notify_waiters();
        client.shutdown().await.ok()
    }

    /// Lets others go first, a number of times.
    async fn wait(&self, times: usize) {
        for _ in 0..times {
            tokio::task::yield_now().await;
        }
    }
}

/// A request as it came.
struct Request {
    head: Vec<String>,
    body: Vec<u8>,
}

impl Request {
    async fn read(client: &mut BufReader<TcpStream>) -> Option<Self> {
        let head = head(client).await?;
        let length = head.iter().find(|line| is_named(line, "content-length"));
        let length = length.and_then(|line| line.split_once(':')?.1.trim().parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        client.read_exact(&mut body).await.ok()?;
        Some(Self { head, body })
    }

    fn strip(&mut self, name: &str) {
        self.head.retain(|line| !is_named(line, name));
    }

    /// Writes the request so that the server ends the connection after its answer.
    async fn write(mut self, server: &mut BufReader<TcpStream>) -> Option<()> {
        self.strip("connection");
        self.head.insert(1, "Connection: close\r\n".to_owned());
        server.write_all(self.head.concat().as_bytes()).await.ok()?;
        server.write_all(&self.body).await.ok()
    }
}

/// Reads a head, its last line the empty one.
async fn head(stream: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let is_last = line.trim_end().is_empty();
        lines.push(line);
        if is_last {
            return Some(lines);
        }
    }
}

fn is_named(line: &str, name: &str) -> bool {
    line.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(name))
}

async fn page(client: &mut BufReader<TcpStream>, status: &str) -> Option<()> {
    let length = PAGE.len();
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{PAGE}"
    );
    client.write_all(page.as_bytes()).await.ok()?;
    client.shutdown().await.ok()
}

//! The load over HTTP/1.1: one request at a time on each of many connections that stay open.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::Failure;
use crate::request::Template;

/// How long a load goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// For a time.
    Time(Duration),
    /// For a number of requests.
    Count(u64),
}

/// What came of a load.
#[derive(Debug, Default)]
pub(crate) struct Load {
    /// How many requests were answered.
    pub(crate) requests: u64,
    /// How long each of them took.
    pub(crate) latencies: Vec<Duration>,
}

/// A connection with the bytes that were read ahead.
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response in the buffer of its wire.
pub(crate) struct Reply<'a> {
    /// The status line and the headers.
    pub(crate) head: &'a [u8],
    /// The body, chunked if it came so.
    pub(crate) body: &'a [u8],
}

impl Wire {
    pub(crate) async fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    /// Sends a request and reads the response to its end.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Result<Reply<'_>, Failure> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        let body_at = self.head().await?;
        let length = length(self.buffer.get(..body_at).unwrap_or_default());
        loop {
            let body = self.buffer.get(body_at..).unwrap_or_default();
            let is_whole = match length {
                Some(length) => body.len() >= length,
                None => body.ends_with(b"0\r\n\r\n"),
            };
            if is_whole {
                break;
            }
            self.fill().await?;
        }
        let (head, body) = self.buffer.split_at(body_at);
        Ok(Reply { head, body })
    }

    /// Sends a request whose response stays open, and waits for a text in it.
    pub(crate) async fn open(&mut self, request: &[u8], text: Option<&str>) -> Result<(), Failure> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        let body_at = self.head().await?;
        if !self.buffer.starts_with(b"HTTP/1.1 200") {
            return Err(shown(self.buffer.get(..body_at).unwrap_or_default()).into());
        }
        match text {
            Some(text) => self.hear(text).await,
            None => Ok(()),
        }
    }

    /// Waits until a text has come, and forgets what has come so far.
    pub(crate) async fn hear(&mut self, text: &str) -> Result<(), Failure> {
        while memmem::find(&self.buffer, text.as_bytes()).is_none() {
            self.fill().await?;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Reads until the head is whole, and returns where the body begins.
    async fn head(&mut self) -> Result<usize, Failure> {
        loop {
            if let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") {
                return Ok(end + 4);
            }
            self.fill().await?;
        }
    }

    async fn fill(&mut self) -> Result<(), Failure> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(format!("the server closed the connection after: {}", shown(&self.buffer)).into()),
            _ => Ok(()),
        }
    }
}

impl Reply<'_> {
    /// Returns the value of a header, whose name is given in lower case with its colon.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let head = String::from_utf8_lossy(self.head);
        let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name))?;
        Some(line.get(name.len()..)?.trim().to_owned())
    }

    /// Checks that the response is the result of the request with an id.
    pub(crate) fn check(&self, id: u64) -> Result<(), Failure> {
        let has = |text: &str| memmem::find(self.body, text.as_bytes()).is_some();
        let is_good = self.head.starts_with(b"HTTP/1.1 200")
            && has(&format!("\"id\":{id:09}"))
            && has("\"result\":{")
            && !has("\"isError\":true");
        match is_good {
            true => Ok(()),
            false => Err(format!("a bad answer: {}\n{}", shown(self.head), shown(self.body)).into()),
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..2000).unwrap_or(bytes)).into_owned()
}

/// Returns the length of the body, or nothing where it comes in chunks.
fn length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    let mut rest = head;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, after) = rest.split_at(end + 1);
        rest = after;
        if line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME)) {
            return std::str::from_utf8(line.get(NAME.len()..)?).ok()?.trim().parse().ok();
        }
    }
    None
}

/// Runs a future on this thread.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, work)
}

/// Sends one template over each wire until the end is reached; ids rise over all of them.
///
/// `before` is called once all is ready, so that what the connections cost is not counted.
pub(crate) async fn load(
    wires: Vec<(Wire, Template)>,
    until: Until,
    before: impl FnOnce() -> Result<(), Failure>,
) -> Result<(Load, Vec<(Wire, Template)>), Failure> {
    let next = Rc::new(Cell::new(100_000_000_u64));
    let (deadline, last) = match until {
        Until::Time(time) => (Instant::now() + time, u64::MAX),
        Until::Count(count) => (Instant::now() + Duration::from_secs(3600), 100_000_000 + count),
    };
    before()?;
    let mut tasks = Vec::new();
    for (mut wire, mut template) in wires {
        let next = next.clone();
        tasks.push(tokio::task::spawn_local(async move {
            let mut latencies = Vec::new();
            loop {
                let begun = Instant::now();
                let id = next.get();
                if id >= last || begun >= deadline {
                    return Ok::<_, Failure>((wire, template, latencies));
                }
                next.set(id + 1);
                wire.ask(template.with_id(id)).await?.check(id)?;
                latencies.push(begun.elapsed());
            }
        }));
    }
    let mut load = Load::default();
    let mut wires = Vec::new();
    for task in tasks {
        let (wire, template, latencies) = task.await??;
        load.requests += latencies.len() as u64;
        load.latencies.extend(latencies);
        wires.push((wire, template));
    }
    Ok((load, wires))
}

//! A server that plays a script: it notes what was asked, and writes what it was told, byte for byte.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// Names are in lower case.
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: String,
}

impl Request {
    /// Returns a header's value as text, if it is there exactly once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(own, _)| own == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) => Some(std::str::from_utf8(value).unwrap()),
            (None, _) => None,
            (Some(_), Some(_)) => panic!("{name} came twice"),
        }
    }
}

/// What the server does with a request.
#[derive(Clone, Default)]
pub(super) struct Reply {
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Write(Vec<u8>),
    /// Waits until a test says so.
    Wait(Arc<Notify>),
    /// Waits until the client closes the connection.
    Hold,
    Close,
}

impl Reply {
    /// Writes bytes as they are.
    pub(super) fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self::default().then(bytes)
    }

    /// Writes a whole response with a body of known length.
    pub(super) fn whole(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        Self::raw([head.as_bytes(), body].concat())
    }

    /// Answers with JSON.
    pub(super) fn json(status: u16, body: &str) -> Self {
        Self::whole(status, "Content-Type: application/json\r\n", body)
    }

    /// Answers without a body.
    pub(super) fn empty(status: u16) -> Self {
        Self::whole(status, "", "")
    }

    /// Begins a stream of chunks; events are to follow.
    pub(super) fn stream() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    /// Answers with a whole stream.
    pub(super) fn events(text: &str) -> Self {
        Self::stream().chunk(text).last()
    }

    /// Writes more bytes.
    pub(super) fn then(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.steps.push(Step::Write(bytes.as_ref().to_vec()));
        self
    }

    /// Writes a chunk.
    pub(super) fn chunk(self, text: impl AsRef<[u8]>) -> Self {
        let text = text.as_ref();
        self.then([format!("{:x}\r\n", text.len()).as_bytes(), text, b"\r\n"].concat())
    }

    /// Writes the end of a stream of chunks.
    pub(super) fn last(self) -> Self {
        self.then("0\r\n\r\n")
    }

    /// Waits for a test.
    pub(super) fn wait(mut self, gate: &Arc<Notify>) -> Self {
        self.steps.push(Step::Wait(gate.clone()));
        self
    }

    /// Writes no more until the client closes the connection.
    pub(super) fn hold(mut self) -> Self {
        self.steps.push(Step::Hold);
        self
    }

    /// Closes the connection.
    pub(super) fn close(mut self) -> Self {
        self.steps.push(Step::Close);
        self
    }
}

/// What a test sees of the server.
#[derive(Clone)]
pub(super) struct Record {
    seen: Arc<watch::Sender<Seen>>,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Request>,
    connections: usize,
    /// The connections that the client closed while the server held them.
    closed: Vec<usize>,
}

impl Record {
    fn new() -> Self {
        Self { seen: Arc::new(watch::Sender::new(Seen::default())) }
    }

    /// Returns the requests up to now.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.seen.borrow().requests.clone()
    }

    /// Waits until there are so many requests, and returns the last of them.
    pub(super) async fn request(&self, count: usize) -> Request {
        let mut seen = self.seen.subscribe();
        seen.wait_for(|seen| seen.requests.len() >= count).await.unwrap().requests[count - 1].clone()
    }

    /// Waits until the client closed a connection that was held.
    pub(super) async fn closed(&self, connection: usize) {
        self.seen.subscribe().wait_for(|seen| seen.closed.contains(&connection)).await.unwrap();
    }

    /// Returns how many connections there were.
    pub(super) fn connections(&self) -> usize {
        self.seen.borrow().connections
    }
}

type Script = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

/// Serves TCP until the test ends; returns the port.
pub(super) async fn serve_tcp(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (u16, Record) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (script, record): (Script, _) = (Arc::new(script), Record::new());
    let shared = record.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            accept(stream, &script, &shared);
        }
    });
    (port, record)
}

/// Gives one reply to whatever is sent to it first, be it HTTP or not.
pub(super) async fn serve_any(reply: &'static [u8]) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(reply).await;
        }
    });
    port
}

/// Serves a Unix socket until the test ends.
#[cfg(unix)]
pub(super) fn serve_unix(
    path: &std::path::Path,
    script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Record {
    let listener = tokio::net::UnixListener::bind(path).unwrap();
    let (script, record): (Script, _) = (Arc::new(script), Record::new());
    let shared = record.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            accept(stream, &script, &shared);
        }
    });
    record
}

fn accept(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, script: &Script, record: &Record) {
    let mut connection = 0;
    record.seen.send_modify(|seen| {
        connection = seen.connections;
        seen.connections += 1;
    });
    let (script, record) = (script.clone(), record.clone());
    tokio::spawn(async move {
        let _ = play(stream, connection, script, record).await;
    });
}

async fn play(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: usize,
    script: Script,
    record: Record,
) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(request) = read(&mut stream, &mut buffer).await? {
        let reply = script(&request);
        record.seen.send_modify(|seen| seen.requests.push(request));
        for step in reply.steps {
            match step {
                Step::Write(bytes) => stream.write_all(&bytes).await?,
                Step::Wait(gate) => gate.notified().await,
                Step::Close => return Ok(()),
                Step::Hold => {
                    while matches!(stream.read(&mut [0; 1024]).await, Ok(1..)) {}
                    record.seen.send_modify(|seen| seen.closed.push(connection));
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Reads one request; nothing where the client closed the connection.
async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<Request>> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head: Vec<u8> = buffer.drain(..head_end).collect();
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = String::from_utf8(lines.next().unwrap().to_vec()).unwrap();
    let mut words = first.split(' ');
    let mut request = Request {
        method: words.next().unwrap().to_owned(),
        path: words.next().unwrap().to_owned(),
        ..Request::default()
    };
    for line in lines.filter(|line| !line.is_empty()) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap();
        let name = String::from_utf8(line[..colon].to_ascii_lowercase()).unwrap();
        request.headers.push((name, line[colon + 1..].trim_ascii().to_vec()));
    }
    let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    request.body = String::from_utf8(buffer.drain(..length).collect()).unwrap();
    Ok(Some(request))
}

//! Streams that can only block: a thread reads or writes each.
//!
//! Terminals, files and devices are such; pipes and sockets need no threads.

use std::io;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::server::pipe::{Sink, Source};

/// How many bytes wait between a thread and the server.
const BUFFER: usize = 64 * 1024;

/// How long the last bytes may take to be written.
const LAST: Duration = Duration::from_secs(1);

/// Reads a stream in a thread.
///
/// The thread ends with the stream, or when it has read something that nobody wants any more.
pub(super) fn source(mut from: impl io::Read + Send + 'static) -> io::Result<Source> {
    let (ours, mut theirs) = tokio::io::duplex(BUFFER);
    let runtime = Handle::current();
    start("diglot-stdin", move || {
        let mut chunk = vec![0; BUFFER];
        loop {
            match from.read(&mut chunk) {
                Ok(0) => return,
                Ok(read) => {
                    let read = chunk.get(..read).unwrap_or_default();
                    if runtime.block_on(theirs.write_all(read)).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return tracing::debug!(%error, "stdin cannot be read"),
            }
        }
    })?;
    Ok(Box::pin(ours))
}

/// Writes a stream in a thread, until the server's end is shut down.
pub(super) fn sink(to: impl io::Write + Send + 'static) -> io::Result<(Sink, Written)> {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let (done, is_done) = oneshot::channel();
    let runtime = Handle::current();
    start("diglot-stdout", move || {
        if let Err(error) = write(to, theirs, &runtime) {
            tracing::debug!(%error, "stdout cannot be written");
        }
        // Nobody may wait any more.
        let _ = done.send(());
    })?;
    Ok((Box::pin(ours), Written(is_done)))
}

fn write(mut to: impl io::Write, mut theirs: DuplexStream, runtime: &Handle) -> io::Result<()> {
    let mut chunk = vec![0; BUFFER];
    loop {
        let read = runtime.block_on(theirs.read(&mut chunk))?;
        if read == 0 {
            return Ok(());
        }
        to.write_all(chunk.get(..read).unwrap_or_default())?;
        to.flush()?;
    }
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(run).map(drop)
}

/// The end of a thread that writes.
pub(super) struct Written(oneshot::Receiver<()>);

impl Written {
    /// Waits until all is written, for a bounded time.
    pub(super) async fn wait(self) {
        if timeout(LAST, self.0).await.is_err() {
            tracing::warn!("the last bytes to stdout are not written");
        }
    }
}

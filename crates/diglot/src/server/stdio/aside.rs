//! Moves the standard streams aside, and back.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use tokio::net::unix::pipe;

use super::{sockets, threads};
use crate::server::pipe::{Sink, Source};

/// The standard streams while they are aside; dropping it puts them back.
pub(super) struct Streams {
    stdin: Moved,
    stdout: Moved,
    written: Option<threads::Written>,
}

/// One stream, and how its open file was set.
struct Moved {
    original: OwnedFd,
    flags: OFlags,
}

impl Streams {
    /// Moves the streams aside.
    pub(super) fn take() -> io::Result<(Self, Source, Sink)> {
        // What was printed before belongs where it was printed to.
        io::stdout().flush()?;
        let stdin = Moved::new(io::stdin().as_fd().try_clone_to_owned()?)?;
        let stdout = Moved::new(io::stdout().as_fd().try_clone_to_owned()?)?;
        let source = source(stdin.original.try_clone()?)?;
        let (sink, written) = sink(stdout.original.try_clone()?)?;
        let streams = Self { stdin, stdout, written };
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        dup2_stdin(&nothing)?;
        if dup2_stdout(io::stderr()).is_err() {
            // There is no stderr.
            dup2_stdout(&nothing)?;
        }
        Ok((streams, source, sink))
    }

    /// Waits until all is written, and puts the streams back.
    pub(super) async fn give_back(mut self) {
        if let Some(written) = self.written.take() {
            written.wait().await;
        }
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        // What waits in the buffer of `print!` was not meant for the client.
        let _ = io::stdout().flush();
        let restored = dup2_stdout(&self.stdout.original).and(dup2_stdin(&self.stdin.original));
        let restored = restored.and(self.stdin.reset()).and(self.stdout.reset());
        if let Err(error) = restored {
            tracing::debug!(%error, "the standard streams cannot be put back");
        }
    }
}

impl Moved {
    fn new(original: OwnedFd) -> io::Result<Self> {
        let flags = fcntl_getfl(&original)?;
        Ok(Self { original, flags })
    }

    /// Sets the open file as it was: others may use it too.
    fn reset(&self) -> rustix::io::Result<()> {
        fcntl_setfl(&self.original, self.flags)
    }
}

/// What a stream is, as far as it decides how it is read or written.
enum Kind {
    Pipe,
    Socket,
    /// A terminal, a file, a device; or one that stderr leads to as well, where others must be able to block.
    Other,
}

fn kind(stream: OwnedFd) -> io::Result<(Kind, OwnedFd)> {
    let file = File::from(stream);
    let metadata = file.metadata()?;
    let kind = metadata.file_type();
    let kind = match (kind.is_fifo(), kind.is_socket()) {
        _ if is_stderr(&metadata) => Kind::Other,
        (true, _) => Kind::Pipe,
        (_, true) => Kind::Socket,
        _ => Kind::Other,
    };
    Ok((kind, OwnedFd::from(file)))
}

/// Tells whether stderr is the same file, which must go on to block for those who print.
fn is_stderr(metadata: &Metadata) -> bool {
    let stderr = io::stderr().as_fd().try_clone_to_owned().and_then(|stderr| File::from(stderr).metadata());
    stderr.is_ok_and(|stderr| (stderr.dev(), stderr.ino()) == (metadata.dev(), metadata.ino()))
}

fn source(stream: OwnedFd) -> io::Result<Source> {
    Ok(match kind(stream)? {
        (Kind::Pipe, stream) => Box::pin(pipe::Receiver::from_owned_fd(stream)?),
        (Kind::Socket, stream) => sockets::source(stream)?,
        (Kind::Other, stream) => threads::source(File::from(stream))?,
    })
}

fn sink(stream: OwnedFd) -> io::Result<(Sink, Option<threads::Written>)> {
    let sink: Sink = match kind(stream)? {
        (Kind::Pipe, stream) => Box::pin(pipe::Sender::from_owned_fd(stream)?),
        (Kind::Socket, stream) => sockets::sink(stream)?,
        (Kind::Other, stream) => {
            let (sink, written) = threads::sink(File::from(stream))?;
            return Ok((sink, Some(written)));
        }
    };
    Ok((sink, None))
}

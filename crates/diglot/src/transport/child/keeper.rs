//! The task that reads a child's stdout, notices its end, and sees to it that nothing of it stays behind.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::group::Group;
use super::stderr::{OnLine, Tail};
use crate::error::{ExitReport, TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::pipe::{Reader, Step, Wire};
use crate::transport::{BoxFuture, Connection, Exchange, Inbound, Outbound};

/// How long a child that closed a stream may take to end, so that its status is known.
const LINGER: Duration = Duration::from_millis(500);

/// How long the last lines of stderr are waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How long the system may take to end a process that was killed.
const REAP: Duration = Duration::from_secs(2);

/// Owns a running child.
pub(super) struct Keeper {
    wire: Arc<Wire>,
    reader: Reader,
    child: Child,
    group: Arc<Group>,
    tail: Arc<Tail>,
    stderr: JoinHandle<()>,
    writing: JoinHandle<()>,
    closing: Arc<Notify>,
    grace: Duration,
    /// Tells the connection, by being dropped, that all is over.
    _over: watch::Sender<()>,
}

/// What ends the ordinary life of a connection.
enum End {
    /// The process ended.
    Exited(Option<ExitStatus>),
    /// Its stdout ended or broke, or its stdin did.
    Stream,
    /// The connection is to be closed.
    Closing,
}

impl Keeper {
    /// Starts the tasks of a child that was started with three pipes, and makes the connection to it.
    pub(super) fn start(
        mut child: Child,
        target: String,
        grace: Duration,
        on_stderr: Option<OnLine>,
        limits: &Limits,
    ) -> Box<dyn Connection> {
        let group = Arc::new(Group::of(child.id()));
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let wire = Wire::new(Box::new(stdin), target, limits);
        let tail = Arc::new(Tail::new(limits, on_stderr));
        let closing = Arc::new(Notify::new());
        let (over, is_over) = watch::channel(());
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let keeper = Self {
            stderr: tokio::spawn(Arc::clone(&tail).follow(stderr)),
            writing: tokio::spawn(Arc::clone(&wire).write_out()),
            reader: Reader::new(Box::new(stdout), limits),
            wire: Arc::clone(&wire),
            group: Arc::clone(&group),
            tail: Arc::clone(&tail),
            closing: Arc::clone(&closing),
            child,
            grace,
            _over: over,
        };
        let keeping = tokio::spawn(keeper.keep());
        Box::new(ChildConnection { wire, group, tail, closing, is_over, keeping })
    }

    async fn keep(mut self) {
        let status = match self.listen().await {
            End::Exited(status) => status,
            End::Stream => self.exit_within(LINGER).await,
            End::Closing => self.shut_down().await,
        };
        let report = match status {
            Some(status) => {
                self.reader.drain(&self.wire).await;
                self.group.disband();
                let _ = timeout(LAST_WORDS, &mut self.stderr).await;
                self.report(status.code(), signal(status))
            }
            None => self.report(None, None),
        };
        self.wire.end(&self.wire.error(TransportFault::Exited(report)));
        if status.is_none() {
            self.shut_down().await;
        }
    }

    fn report(&self, code: Option<i32>, signal: Option<i32>) -> ExitReport {
        ExitReport::new(code, signal, self.tail.lines())
    }

    /// Reads until something ends.
    async fn listen(&mut self) -> End {
        loop {
            tokio::select! {
                step = self.reader.step(&self.wire) => match step {
                    Ok(Step::More) => {}
                    Ok(Step::End) | Err(_) => return End::Stream,
                },
                status = self.child.wait() => return End::Exited(status.ok()),
                _ = self.wire.write_failure() => return End::Stream,
                () = self.closing.notified() => return End::Closing,
            }
        }
    }

    /// Closes the child's stdin and waits, then asks it to end and waits, then kills it.
    async fn shut_down(&mut self) -> Option<ExitStatus> {
        self.wire.finish_sending();
        if let Some(status) = self.exit_within(self.grace).await {
            return Some(status);
        }
        if self.group.terminate()
            && let Some(status) = self.exit_within(self.grace).await
        {
            return Some(status);
        }
        self.group.kill();
        // It fails where the child is gone already.
        let _ = self.child.start_kill();
        self.exit_within(REAP).await
    }

    /// Waits for the end of the process, and reads meanwhile: it may have to write before it can end.
    async fn exit_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let exit = timeout(time, self.child.wait());
        tokio::pin!(exit);
        loop {
            tokio::select! {
                exit = &mut exit => return exit.ok()?.ok(),
                // After its end the reader only waits.
                _ = self.reader.step(&self.wire) => {}
            }
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.group.disband();
        self.stderr.abort();
        self.writing.abort();
        // Nothing is left to end unless the task itself was ended.
        self.wire.end(&self.wire.error(TransportFault::Ended));
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// An open wire to a child.
struct ChildConnection {
    wire: Arc<Wire>,
    group: Arc<Group>,
    tail: Arc<Tail>,
    closing: Arc<Notify>,
    is_over: watch::Receiver<()>,
    keeping: JoinHandle<()>,
}

impl Connection for ChildConnection {
    fn send(&self, outbound: Outbound) -> BoxFuture<'_, Result<Exchange, TransportError>> {
        Box::pin(self.wire.send(outbound))
    }

    fn unsolicited(&self) -> BoxFuture<'_, Option<Inbound>> {
        Box::pin(self.wire.unsolicited())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closing.notify_one();
            // Nothing is ever sent; the error is that the keeper is gone, which is what is waited for.
            let _ = self.is_over.clone().changed().await;
        })
    }

    fn failure(&self) -> Option<TransportError> {
        self.wire.failure()
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines()
    }
}

impl Drop for ChildConnection {
    fn drop(&mut self) {
        self.group.kill();
        // Where there are no groups, the child is killed with its handle; elsewhere the keeper stays to reap it.
        if cfg!(not(unix)) {
            self.keeping.abort();
        }
    }
}

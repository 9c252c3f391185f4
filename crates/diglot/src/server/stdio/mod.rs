//! Serving over the standard streams of the process.
//!
//! The streams are moved aside while the server runs: what a handler, a library or a child process prints goes to
//! stderr and cannot break the channel, and none of them can read what the client sends.

#[cfg(unix)]
mod aside;
#[cfg(not(unix))]
mod plain;
mod signals;
#[cfg(unix)]
mod sockets;
mod threads;

#[cfg(unix)]
use self::aside::Streams;
#[cfg(not(unix))]
use self::plain::Streams;

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::signals::Signals;
use crate::server::pipe::{self, Stop};
use crate::server::{ServeError, Server};

impl Server {
    /// Serves the client that started this process, over stdin and stdout, until stdin ends.
    ///
    /// While it runs, stdout leads to stderr and stdin is empty for everything else in the process, so that
    /// `println!` in a handler does no harm. On SIGTERM and SIGINT (where there are none: on Ctrl-C) it ends in good
    /// order, as when stdin ends, and on a second one at once; [`ends_on_signals`](Self::ends_on_signals) changes that.
    ///
    /// # Errors
    ///
    /// The standard streams cannot be used.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O and timers.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let core = self.core();
        let tasks = core.tasks.clone();
        let mut signals = core.settings.ends_on_signals.then(Signals::new);
        let (streams, source, sink) = Streams::take().map_err(ServeError::Streams)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped: Stop = Box::pin(async move {
            // The sender is kept for as long as the server runs.
            let _ = stopped.await;
        });
        // In a task of its own, since that runs where the streams are watched, without a hop between threads.
        let mut serving = Serving(tokio::spawn(pipe::serve(core, source, sink, stopped)));
        tokio::select! {
            ended = &mut serving => {
                tasks.end_and_wait().await;
                streams.give_back().await;
                return ended;
            }
            () = signals::next(&mut signals) => {}
        }
        let _ = stop.send(());
        let ended = tokio::select! {
            ended = &mut serving => ended,
            () = signals::next(&mut signals) => Ok(()),
        };
        tasks.end_and_wait().await;
        streams.give_back().await;
        ended
    }
}

/// A server in its task, which ends when this is dropped.
struct Serving(JoinHandle<Result<(), ServeError>>);

impl Future for Serving {
    type Output = Result<(), ServeError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|ended| match ended {
            Ok(ended) => ended,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime shuts down.
                Err(_) => Ok(()),
            },
        })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

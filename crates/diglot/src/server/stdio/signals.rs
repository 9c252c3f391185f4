//! The signals that ask a process to end.

use std::future::pending;

/// Listens for signals from the moment it is made.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    #[cfg(unix)]
    pub(super) fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            let listening = signal(kind);
            if let Err(error) = &listening {
                tracing::warn!(%error, "a signal cannot be listened for");
            }
            listening.ok()
        };
        Self { terminate: listen(SignalKind::terminate()), interrupt: listen(SignalKind::interrupt()) }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Self {
        Self {}
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        async fn of(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => {
                    signal.recv().await;
                }
                None => pending().await,
            }
        }
        tokio::select! {
            () = of(&mut self.terminate) => {}
            () = of(&mut self.interrupt) => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            pending().await
        }
    }
}

/// Waits for the next signal; without any to listen for, for ever.
pub(super) async fn next(signals: &mut Option<Signals>) {
    match signals {
        Some(signals) => signals.next().await,
        None => pending().await,
    }
}

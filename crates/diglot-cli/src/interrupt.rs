//! Ctrl-C and its kin: the first ends the command in good order, the next one ends the wait for that.

use std::time::Duration;

/// The exit status after Ctrl-C, by the custom of shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// The longest that a close may take after the command has ended.
const LONGEST_CLOSE: Duration = Duration::from_secs(15);

/// Waits for an interrupt and returns the exit status that tells of it.
#[cfg(unix)]
pub(crate) async fn interrupted() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    const TERMINATED: u8 = 143;
    // The terminal was closed. A server in a group of its own would not be told of it.
    const HUNG_UP: u8 = 129;
    let (Ok(mut terminated), Ok(mut hung_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return by_keyboard().await;
    };
    tokio::select! {
        exit = by_keyboard() => exit,
        _ = terminated.recv() => TERMINATED,
        _ = hung_up.recv() => HUNG_UP,
    }
}

/// Waits for an interrupt and returns the exit status that tells of it.
#[cfg(not(unix))]
pub(crate) async fn interrupted() -> u8 {
    by_keyboard().await
}

async fn by_keyboard() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => INTERRUPTED,
        // Without a handler the system ends the process itself.
        Err(_) => std::future::pending().await,
    }
}

/// Closes, unless another interrupt comes or it takes too long.
pub(crate) async fn impatient(close: impl Future<Output = ()>) {
    tokio::select! {
        () = close => {}
        _ = interrupted() => {}
        () = tokio::time::sleep(LONGEST_CLOSE) => {}
    }
}

//! `diglot serve --demo`: a server of both eras, for trying clients on.
//!
//! Where stdout is the client's, all that people read goes to stderr.

mod clock;
mod icon;
mod offer;
#[cfg(test)]
mod tests;
mod texts;
mod tools;

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;

use anstream::ColorChoice;
use diglot::http::HttpServer;
use tokio::sync::oneshot;

use crate::args::Serve;
use crate::failure::{Failure, Kind};
use crate::interrupt;
use crate::output::{BOLD, Ending, note};

/// Serves until the client goes, or until an interrupt, and returns the exit status.
pub(crate) async fn run(serve: &Serve) -> u8 {
    let color = serve.look.color;
    let served = match (&serve.listen.http, serve.listen.socket()) {
        (Some(address), _) => serve_http(*address, color).await,
        (None, Some(path)) => serve_unix(path, color).await,
        (None, None) => serve_stdio().await,
    };
    match served {
        Ok(exit) => exit,
        Err(failure) => Ending::failed(failure, serve.look.json).print(color),
    }
}

/// Serves the client that started this process, in good order to the end, which an interrupt hastens.
async fn serve_stdio() -> Result<u8, Failure> {
    // The library listens for interrupts too, and stops reading on the first one.
    let mut serving = std::pin::pin!(offer::server().serve_stdio());
    let exit = tokio::select! {
        biased;
        exit = interrupt::interrupted() => exit,
        served = &mut serving => return served.map(|()| 0).map_err(|error| failed(&error)),
    };
    let _ = serving.await;
    Ok(exit)
}

async fn serve_http(address: SocketAddr, color: ColorChoice) -> Result<u8, Failure> {
    let listener = HttpServer::bind(offer::server(), address).await.map_err(|error| failed(&error))?;
    let url = listener.url();
    listen(listener, &url, color).await
}

#[cfg(unix)]
async fn serve_unix(path: &Path, color: ColorChoice) -> Result<u8, Failure> {
    let listener = HttpServer::bind_unix(offer::server(), path).await.map_err(|error| failed(&error))?;
    let place = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    listen(listener, &format!("unix://{}:/mcp", place.display()), color).await
}

#[cfg(not(unix))]
async fn serve_unix(_: &Path, _: ColorChoice) -> Result<u8, Failure> {
    unreachable!("the option is not there")
}

/// Serves until the first interrupt, which ends the open streams in good order, or until a second one.
async fn listen(listener: HttpServer, place: &str, color: ColorChoice) -> Result<u8, Failure> {
    note(color, &format!("listening on {BOLD}{place}{BOLD:#}\n"));
    let (stop, stopped) = oneshot::channel();
    let listener = listener.with_graceful_shutdown(async move {
        // The sender lives as long as the listener, so this is the interrupt.
        let _ = stopped.await;
    });
    let mut serving = std::pin::pin!(listener.serve());
    let exit = tokio::select! {
        served = &mut serving => return served.map(|()| 0).map_err(|error| failed(&error)),
        exit = interrupt::interrupted() => exit,
    };
    let _ = stop.send(());
    interrupt::impatient(async {
        let _ = serving.await;
    })
    .await;
    Ok(exit)
}

fn failed(error: &dyn Error) -> Failure {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    Failure::new(Kind::ConnectionFailed, message)
}

//! A pipe that spoils the lines on it, both ways.

use std::sync::Arc;

use diglot::server::Server;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::fault::{Chance, Fault, OF_PIPES};

const BUFFER: usize = 64 * 1024;

/// What is on a pipe beside messages.
const NOISE: [&str; 6] =
    ["starting up…", "{\"level\":\"info\",\"msg\":\"hello\"}", "", "{", "[]", "{\"jsonrpc\":\"2.0\",\"id\":"];

/// Starts a server behind a pipe that spoils lines, and returns the client's end.
pub(super) fn spoiled(server: Server, chance: Arc<Chance>) -> DuplexStream {
    let (client, outer) = tokio::io::duplex(BUFFER);
    let (inner, end) = tokio::io::duplex(BUFFER);
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(server.serve_pipe(reader, writer));
    tokio::spawn(async move {
        let (outer_reader, outer_writer) = tokio::io::split(outer);
        let (inner_reader, inner_writer) = tokio::io::split(inner);
        // When one direction ends, both do.
        tokio::select! {
            _ = requests(outer_reader, inner_writer, &chance) => {}
            _ = answers(inner_reader, outer_writer, &chance) => {}
        }
    });
    client
}

/// Passes what the client says; a request that came twice would be carried out twice, and rightly.
async fn requests(
    from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    chance: &Chance,
) -> Option<()> {
    let mut lines = BufReader::new(from);
    while let Some(line) = read(&mut lines).await {
        match chance.fault(OF_PIPES) {
            Fault::Swallow => {}
            Fault::Cut => return None,
            Fault::Noise => {
                write(&mut to, "this is no message\n").await?;
                write(&mut to, &line).await?;
            }
            Fault::Split => bytewise(&mut to, &line).await?,
            Fault::Delay => {
                wait().await;
                write(&mut to, &line).await?;
            }
            _ => write(&mut to, &line).await?,
        }
    }
    None
}

/// Passes what the server says.
async fn answers(
    from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    chance: &Chance,
) -> Option<()> {
    let mut lines = BufReader::new(from);
    // A line that has to come after the next one.
    let mut held: Option<String> = None;
    loop {
        let line = match held.is_some() {
            // There may be no next one.
            true => tokio::select! {
                line = read(&mut lines) => line,
                () = wait() => None,
            },
            false => read(&mut lines).await,
        };
        let Some(line) = line else {
            write(&mut to, &held.take()?).await?;
            continue;
        };
        match chance.fault(OF_PIPES) {
            Fault::Swallow => {}
            Fault::Cut => return None,
            Fault::Noise => {
                let noise = NOISE[chance.below(NOISE.len())];
                write(&mut to, &format!("{noise}\n{line}")).await?;
            }
            Fault::Duplicate => write(&mut to, &format!("{line}{line}")).await?,
            Fault::Truncate => {
                // Two lines become one, or half a line stands alone.
                let (kept, _) = line.split_at(line.floor_char_boundary(chance.below(line.len())));
                let end = if chance.below(2) == 0 { "" } else { "\n" };
                write(&mut to, &format!("{kept}{end}")).await?;
            }
            Fault::Split => bytewise(&mut to, &line).await?,
            Fault::Reorder if held.is_none() => {
                held = Some(line);
                continue;
            }
            _ => write(&mut to, &line).await?,
        }
        if let Some(held) = held.take() {
            write(&mut to, &held).await?;
        }
    }
}

async fn read(lines: &mut BufReader<impl AsyncRead + Unpin>) -> Option<String> {
    let mut line = String::new();
    match lines.read_line(&mut line).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

async fn write(to: &mut (impl AsyncWrite + Unpin), line: &str) -> Option<()> {
    to.write_all(line.as_bytes()).await.ok()
}

async fn bytewise(to: &mut (impl AsyncWrite + Unpin), line: &str) -> Option<()> {
    for byte in line.as_bytes() {
        to.write_all(&[*byte]).await.ok()?;
        tokio::task::yield_now().await;
    }
    Some(())
}

/// Lets others go first.
async fn wait() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

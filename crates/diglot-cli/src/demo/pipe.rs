//! The pipe of the tour: bytes in memory, with a server at the other end.
//!
//! Each opening of a scripted one is a new process as far as the client can tell, while the script goes on.

use std::io;
use std::sync::Arc;

use diglot::transport::MemoryTransport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::script::{Answer, Stage};
use super::sound::Sound;

/// How many bytes each direction holds before its writer waits.
const BUFFER: usize = 16 * 1024;
/// The longest line that a server reads, in bytes.
const MOST_LINE: u64 = 64 * 1024;

/// Makes a transport to a server of the SDK.
pub(super) fn sound(sound: Sound, name: &'static str) -> MemoryTransport {
    MemoryTransport::new(move || {
        let (client, server) = tokio::io::duplex(BUFFER);
        let (reader, writer) = tokio::io::split(server);
        // It ends when the client drops its end.
        tokio::spawn(sound.server(name).serve_pipe(reader, writer));
        client
    })
}

/// Makes a transport to a scripted server.
pub(super) fn scripted(stage: Arc<Stage>) -> MemoryTransport {
    MemoryTransport::new(move || {
        let (client, server) = tokio::io::duplex(BUFFER);
        let stage = stage.clone();
        // It ends when the client drops its end, or by the script.
        tokio::spawn(async move {
            let _ = play(&stage, server).await;
        });
        client
    })
}

async fn play(stage: &Stage, pipe: DuplexStream) -> io::Result<()> {
    let (reader, mut writer) = tokio::io::split(pipe);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut reader).take(MOST_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
        match stage.hear(&message) {
            Answer::Message(_, answer) => {
                writer.write_all(format!("{answer}\n").as_bytes()).await?;
            }
            Answer::Accepted | Answer::Silence => {}
            // A body without a message in it cannot be told over a pipe.
            Answer::Close | Answer::Body { .. } => return Ok(()),
        }
    }
}

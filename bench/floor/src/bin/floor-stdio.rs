//! The floor over pipes: blocking reads, and a flush whenever nothing more is buffered.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};

use floor::Answer;

fn main() -> std::io::Result<()> {
    let mut input = BufReader::with_capacity(64 * 1024, std::io::stdin().lock());
    let mut output = BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Answer::Message(message) = floor::answer(&line) {
            output.write_all(&message)?;
            output.write_all(b"\n")?;
        }
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}

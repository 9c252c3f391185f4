//! What goes to the terminal: data on stdout, all else on stderr, colour only where it can be seen.
//!
//! A command writes nothing to stdout itself but returns an [`Ending`], so that a failure cannot leave half a result.

mod table;
mod text;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use diglot::lifecycle::TrailStep;
use serde::Serialize;
use serde_json::value::RawValue;

pub(crate) use table::Table;
pub(crate) use text::{first_line, pad, plain, shorten};

use crate::failure::Failure;

/// The width that is assumed where there is no terminal to ask.
const WIDTH: usize = 100;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const ODD: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Tells whether stdout takes colour.
pub(crate) fn is_colored(choice: ColorChoice) -> bool {
    AutoStream::new(io::stdout(), choice).current_choice() != ColorChoice::Never
}

/// What a command prints.
#[derive(Debug, PartialEq)]
pub(crate) enum Stdout {
    /// Text that may be styled; the styles are left out where colour is not wanted.
    Styled(String),
    /// Bytes that go out as they are.
    Exact(Vec<u8>),
}

impl From<String> for Stdout {
    fn from(text: String) -> Self {
        Self::Styled(text)
    }
}

/// How a command ended: what it prints, and its exit status.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) stdout: Stdout,
    pub(crate) failure: Option<Failure>,
    pub(crate) exit: u8,
}

impl Ending {
    /// Ends well.
    pub(crate) fn good(stdout: impl Into<Stdout>) -> Self {
        Self { stdout: stdout.into(), failure: None, exit: 0 }
    }

    /// Ends with a failure, which scripts get as an object.
    pub(crate) fn failed(failure: Failure, json: bool) -> Self {
        #[derive(Serialize)]
        struct Report<'a> {
            ok: bool,
            target: Option<&'a str>,
            error: &'a Failure,
            trail: &'a [TrailStep],
        }
        let target = failure.target.as_deref();
        let report = Report { ok: false, target, error: &failure, trail: failure.trail() };
        let stdout = if json { json_line(&report) } else { String::new() };
        Self { stdout: stdout.into(), exit: failure.kind.exit(), failure: Some(failure) }
    }

    /// Prints what there is to print and returns the exit status.
    pub(crate) fn print(self, color: ColorChoice) -> u8 {
        let written = match &self.stdout {
            Stdout::Styled(text) => write_all(AutoStream::new(io::stdout(), color), text),
            Stdout::Exact(bytes) => write_exact(bytes),
        };
        if let Some(failure) = &self.failure {
            complain(color, failure);
        }
        match written {
            Ok(()) => self.exit,
            // The reader has enough; that is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.exit,
            Err(error) => {
                note(color, &format!("{BAD}error{BAD:#}: the result could not be written: {error}\n"));
                self.exit.max(1)
            }
        }
    }
}

/// Writes to stdout at once, for what a command tells while it goes on.
pub(crate) fn emit(color: ColorChoice, text: &str) -> io::Result<()> {
    write_all(AutoStream::new(io::stdout(), color), text)
}

/// Writes a styled text to stderr, which may be gone.
pub(crate) fn note(color: ColorChoice, text: &str) {
    // Nobody is left to be told if this fails.
    let _ = write_all(AutoStream::new(io::stderr(), color), text);
}

/// Tells a warning on stderr.
pub(crate) fn warn(color: ColorChoice, text: &str) {
    note(color, &format!("{ODD}warning{ODD:#}: {}\n", plain(text)));
}

fn complain(color: ColorChoice, failure: &Failure) {
    let mut text = format!("{BAD}error{BAD:#}: {}\n", plain(failure.message.trim_end()));
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("{BOLD}hint{BOLD:#}: {}\n", plain(hint)));
    }
    note(color, &text);
}

fn write_all<S: anstream::stream::RawStream>(mut stream: AutoStream<S>, text: &str) -> io::Result<()>
where
    AutoStream<S>: Write,
{
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

fn write_exact(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Returns a result as it came, on a line of its own.
pub(crate) fn raw_line(raw: Option<&RawValue>) -> String {
    let raw = raw.map_or("{}", RawValue::get);
    format!("{raw}\n")
}

/// Writes a value of our own as one line of JSON.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("reports serialise");
    line.push('\n');
    line
}

/// Returns how many columns a line of stdout may have.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0).max(40))
}

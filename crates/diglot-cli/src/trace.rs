//! Everything that crosses the wire, with secrets cut out: `--trace FILE` keeps it, one JSON object a line, and `-vv`
//! says it on stderr.
//!
//! A line is `{"ms", "dir": "out"|"in", "kind": "message"|"http-request"|"http-response"|"stderr", …}`.

mod http;
mod redact;
mod wire;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anstream::ColorChoice;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::output::{DIM, note, plain, shorten};
use crate::target::Target;

pub(crate) use http::Recorded as RecordedHttp;
pub(crate) use redact::Secrets;

/// The longest message or line of stderr that is kept, in bytes.
const LONGEST: usize = 64 * 1024;

/// The longest event on stderr, in columns; the file has more of it.
const LONGEST_SAID: usize = 2000;

/// A file of events; clones write to the same one.
#[derive(Clone)]
pub(crate) struct Trace {
    shared: Arc<Shared>,
}

struct Shared {
    began: Instant,
    file: Option<Mutex<File>>,
    /// How the lines on stderr look, where they are wanted.
    said: Option<ColorChoice>,
    secrets: Secrets,
    exchanges: AtomicU64,
}

/// The direction of an event, as the client sees it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Dir {
    Out,
    In,
}

/// What every line begins with.
#[derive(Serialize)]
struct Line<E> {
    ms: u64,
    dir: Dir,
    kind: &'static str,
    #[serde(flatten)]
    event: E,
}

impl Trace {
    /// Begins a file, which only its owner may read, and says on stderr what goes in where that is wanted.
    pub(crate) fn begin(
        path: Option<&Path>,
        said: Option<ColorChoice>,
        target: &Target,
    ) -> std::io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let shared = Shared {
            began: Instant::now(),
            file: path.map(|path| options.open(path)).transpose()?.map(Mutex::new),
            said,
            secrets: Secrets::of(target),
            exchanges: AtomicU64::new(1),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Records a line that a child process wrote to its stderr.
    pub(crate) fn stderr(&self, line: &str) {
        #[derive(Serialize)]
        struct Event {
            text: String,
        }
        self.write(Dir::In, "stderr", Event { text: self.excerpt(line.as_bytes(), LONGEST) });
    }

    /// Records a message, as JSON where it is not too long and stays JSON without its secrets.
    fn message(&self, dir: Dir, bytes: &[u8]) {
        #[derive(Serialize)]
        struct Event {
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<Box<RawValue>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            excerpt: Option<String>,
            bytes: usize,
        }
        let text = self.excerpt(bytes, LONGEST);
        let whole = bytes.len() <= LONGEST;
        let message = if whole { RawValue::from_string(text.clone()).ok() } else { None };
        let excerpt = message.is_none().then_some(text);
        self.write(dir, "message", Event { message, excerpt, bytes: bytes.len() });
    }

    /// Returns the beginning of a text without its secrets.
    fn excerpt(&self, bytes: &[u8], longest: usize) -> String {
        // What is cut off must not leave half a secret behind that is no longer recognised.
        let text = String::from_utf8_lossy(bytes);
        let mut text = self.shared.secrets.cut(&text).into_owned();
        if text.len() > longest {
            text.truncate(text.floor_char_boundary(longest));
            text.push('…');
        }
        text
    }

    /// Numbers the next HTTP exchange.
    fn next_exchange(&self) -> u64 {
        self.shared.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    fn write(&self, dir: Dir, kind: &'static str, event: impl Serialize) {
        let ms = u64::try_from(self.shared.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Some(color) = self.shared.said {
            say(color, ms, dir, kind, &event);
        }
        let Some(file) = &self.shared.file else { return };
        let Ok(mut line) = serde_json::to_vec(&Line { ms, dir, kind, event }) else { return };
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(&line) {
            tracing::warn!(%error, "the trace could not be written");
        }
    }
}

fn say(color: ColorChoice, ms: u64, dir: Dir, kind: &str, event: &impl Serialize) {
    // The lines of a server's stderr are said already.
    if kind == "stderr" {
        return;
    }
    let arrow = match dir {
        Dir::Out => '→',
        Dir::In => '←',
    };
    let event = serde_json::to_string(event).unwrap_or_default();
    note(
        color,
        &format!("{DIM}{ms:>6} ms  {arrow} {kind} {}{DIM:#}\n", shorten(&plain(&event), LONGEST_SAID)),
    );
}

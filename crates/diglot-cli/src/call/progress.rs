//! Progress on stderr: a line that is written over on a terminal, and lines below each other elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use anstream::ColorChoice;
use diglot::types::Progress;

use crate::args::Look;
use crate::elicit;
use crate::output::{first_line, note, shorten};

/// How many cells the bar has.
const CELLS: usize = 24;

/// The widest line of progress.
const WIDEST: usize = 79;

/// Tells whether anybody would see progress; asking for it without need costs the server work.
pub(super) fn wanted(look: &Look) -> bool {
    std::io::stderr().is_terminal() || look.verbose > 0
}

/// The line of progress; clones write to the same one, and the last one clears it.
#[derive(Clone)]
pub(super) struct Bar {
    line: Arc<Line>,
}

struct Line {
    color: ColorChoice,
    is_terminal: bool,
    shown: Mutex<Option<String>>,
}

impl Bar {
    pub(super) fn new(color: ColorChoice) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { line: Arc::new(Line { color, is_terminal, shown: Mutex::default() }) }
    }

    /// Shows how far the call has come.
    pub(super) fn show(&self, progress: &Progress) {
        if elicit::is_held() {
            return;
        }
        let text = drawn(progress);
        let mut shown = self.line.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref() == Some(&text) {
            return;
        }
        match self.line.is_terminal {
            true => note(self.line.color, &format!("\r\x1b[2K{text}")),
            false => note(self.line.color, &format!("progress: {text}\n")),
        }
        *shown = Some(text);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let shown = self.shown.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.is_terminal && shown.is_some() {
            note(self.color, "\r\x1b[2K");
        }
    }
}

fn drawn(progress: &Progress) -> String {
    let message = progress.message.as_deref().map(first_line).unwrap_or_default();
    let text = match progress.total.filter(|total| *total > 0.0) {
        Some(total) => {
            let part = (progress.progress / total).clamp(0.0, 1.0);
            let full = (0..CELLS).filter(|cell| (*cell as f64) < part * CELLS as f64).count();
            let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
            format!("{bar} {:3.0}% {message}", part * 100.0)
        }
        None => format!("{} {message}", progress.progress),
    };
    shorten(text.trim_end(), WIDEST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(params: &str) -> String {
        drawn(&Progress::read(serde_json::from_str(params).unwrap()).unwrap())
    }

    #[test]
    fn a_total_makes_a_bar() {
        assert_eq!(
            of(r#"{"progress": 1, "total": 2, "message": "half\nway"}"#),
            format!("{}{}  50% half", "█".repeat(12), "░".repeat(12))
        );
        assert_eq!(of(r#"{"progress": 5, "total": 2}"#), format!("{} 100%", "█".repeat(24)));
    }

    #[test]
    fn without_a_total_the_number_stands() {
        assert_eq!(of(r#"{"progress": 3.5, "total": 0, "message": "rows"}"#), "3.5 rows");
    }
}
